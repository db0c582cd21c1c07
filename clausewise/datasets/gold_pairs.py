"""Gold pairs: questions with the queries that answer them, as a team has them or trusts its log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import BaseModel, ValidationError

from clausewise.datasets._containers import read_records
from clausewise.datasets._strict import BadLines
from clausewise.datasets._validation import validate
from clausewise.errors import CaseError, InputError


@dataclass(frozen=True, slots=True)
class GoldPair:
    """A question with the query that answers it. `evidence` is None where there is none."""

    question: str
    gold_sql: str
    db_id: str | None = None
    evidence: str | None = None


GoldPairs: TypeAlias = "str | Path | Iterable[GoldPair | Mapping[str, Any]]"
"""A file of gold pairs, or the pairs themselves."""


class _PairLine(BaseModel):
    question: str
    gold_sql: str
    db_id: str | None = None
    evidence: str | None = None


def read_gold_pairs(path: str | Path) -> list[GoldPair]:
    """Read gold pairs in file order.

    Every line has `question` and `gold_sql`, and may have `db_id` and `evidence`; other fields
    are ignored. JSONL, also JSON, CSV, Parquet by the suffix.

    Raises InputError where the file or any line of it cannot be used.
    """
    found: list[GoldPair] = []
    bad = BadLines(Path(path))
    for record in read_records(Path(path)):
        try:
            found.append(GoldPair(**validate(_PairLine, record, Path(path)).model_dump()))
        except CaseError as error:
            bad.add(error)
    bad.check()
    return found


def as_gold_pairs(pairs: GoldPairs) -> list[GoldPair]:
    """Return gold pairs from a file, or from pairs and mappings with their fields, in order.

    Raises InputError where one of them has no question or no query.
    """
    if isinstance(pairs, str | Path):
        return read_gold_pairs(pairs)
    found = []
    for number, pair in enumerate(pairs, start=1):
        if isinstance(pair, GoldPair):
            found.append(pair)
            continue
        try:
            found.append(GoldPair(**_PairLine.model_validate(pair).model_dump()))
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(map(str, first["loc"])) or None
            raise InputError(f"gold pair {number}: {first['msg']}", field=name) from None
    return found
