"""Where the labels of corrections come from: options of `clausewise evaluate`."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from clausewise.cli.common import open_databases
from clausewise.corrected_case import RowMatch
from clausewise.errors import InputError

if TYPE_CHECKING:
    from clausewise.evaluation import CorrectionEvaluation


@dataclass(frozen=True)
class LabelingOptions:
    """What was given of them."""

    labels: Path | None
    gold: Path | None
    databases: Path | None
    db: str | None
    match: RowMatch | None
    corrected_labels: Path | None
    scores: Path | None

    def refuse_for_scores(self) -> None:
        """Raise InputError where an option was given that has no meaning for scores."""
        given = {
            "--databases": self.databases,
            "--db": self.db,
            "--match": self.match,
            "--corrected-labels": self.corrected_labels,
            "--scores": self.scores,
        }
        for name, value in given.items():
            if value is not None:
                message = "is for corrections, and the file holds none"
                raise InputError(message, field=name)

    def evaluated(self, path: Path, *, bootstrap: int, seed: int) -> CorrectionEvaluation:
        """Return what the corrections in a file fixed and broke.

        Raises InputError where a file cannot be used, or the options do not say how to label.
        """
        from clausewise.datasets import iter_scores_file, read_corrections, read_gold, read_labels
        from clausewise.evaluation import (
            ExecutionLabels,
            GivenLabels,
            evaluate_corrections,
            fired_signals,
        )
        from clausewise.signals.runner.cases import remote_databases

        self._check()
        corrections = read_corrections(path)
        before = {} if self.labels is None else read_labels(self.labels)
        scored = [] if self.scores is None else list(iter_scores_file(self.scores))
        signals = None if self.scores is None else fired_signals(scored)
        if self.corrected_labels is not None:
            given = GivenLabels(before, read_labels(self.corrected_labels))
            return evaluate_corrections(
                corrections, given, signals=signals, bootstrap=bootstrap, seed=seed
            )
        assert self.gold is not None
        database_of = {
            case.question_id: case.db_id for case in scored if case.question_id is not None
        }
        with (
            closing(open_databases(self.databases, self.db)) as databases,
            # What was predicted or proposed may take any amount of memory before a limit ends it.
            remote_databases(databases, None) as asked,
        ):
            executed = ExecutionLabels(
                read_gold(self.gold),
                asked,
                self.match or RowMatch.SPIDER,
                before,
                database_of,
            )
            return evaluate_corrections(
                corrections, executed, signals=signals, bootstrap=bootstrap, seed=seed
            )

    def _check(self) -> None:
        """Raise InputError where it is not said, or said twice, how to label."""
        execution = {
            "--gold": self.gold,
            "--databases": self.databases,
            "--db": self.db,
            "--match": self.match,
        }
        if self.corrected_labels is not None:
            if self.labels is None:
                message = "is needed with --corrected-labels: it labels the queries before"
                raise InputError(message, field="--labels")
            for name, value in execution.items():
                if value is not None:
                    message = "has no meaning with --corrected-labels: nothing is executed"
                    raise InputError(message, field=name)
        elif self.gold is None:
            message = (
                "is needed to label corrections, with --databases DIR or --db URL; "
                "or give --corrected-labels"
            )
            raise InputError(message, field="--gold")
