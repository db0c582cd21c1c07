"""The strategy `given`: queries that a correction step elsewhere wrote, run and judged here."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Self

from pydantic import computed_field, model_validator

from clausewise.correction.base import CorrectionTask, Proposal, StrategyOptions, strategy
from clausewise.datasets import read_corrected


class GivenOptions(StrategyOptions):
    """What must be set of the strategy. Raises InputError where the file cannot be used."""

    file: Path
    """JSONL of `question_id` and `corrected_sql`, null where there is none."""

    @cached_property
    def queries(self) -> Mapping[str, str | None]:
        """The queries by the text of their question's id."""
        return {str(name): sql for name, sql in read_corrected(self.file).items()}

    @computed_field  # type: ignore[prop-decorator]
    @cached_property
    def content(self) -> str:
        """Digest of the queries: a killed run goes on only with the same ones."""
        return hashlib.sha256(
            repr(sorted(self.queries.items())).encode("utf-8", "surrogatepass")
        ).hexdigest()

    @model_validator(mode="after")
    def _readable(self) -> Self:
        _ = self.queries
        return self


@strategy(
    name="given",
    description="Takes the query that a file has for the question: what another program wrote.",
    options=GivenOptions,
)
def given(task: CorrectionTask) -> Proposal:
    """Propose the query of the file; the original stays where it has none, or the same."""
    options = task.options
    assert isinstance(options, GivenOptions)
    sql = options.queries.get(str(task.case.question_id))
    if sql is None:
        return Proposal(None, f"{options.file.name} has no query for the question")
    return Proposal(sql, f"the query of {options.file.name}")
