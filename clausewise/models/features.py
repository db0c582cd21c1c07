"""What a classifier sees of an inspected case: named columns in a fixed order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from clausewise.errors import InputError
from clausewise.labeling import (
    LabelingFunction,
    LabelMatrix,
    OutsideVotes,
    ShapeLevels,
    SignalInfo,
    VotingUnit,
    build_label_matrix,
    build_labeling_functions,
    shape_functions,
)
from clausewise.models.agreement import DISAGREEMENT, VOICES
from clausewise.models.pieces import ECHO, Key, echoes
from clausewise.models.table import (
    HAS_CANDIDATES,
    HAS_JUDGES,
    QUESTION_UNREAD,
    REASON,
    SILENT,
    FeatureTable,
)
from clausewise.types import (
    CaseStatus,
    Finding,
    Group,
    Inspection,
    InspectionResult,
    Level,
    OutcomeStatus,
    Vote,
)

_LEVELS = tuple(Level)
AGREEMENT_COLUMNS = (f"agreement.{DISAGREEMENT}", f"agreement.{VOICES}")
MOST_SURPRISE = 3.0
"""A class 20 times less likely than another surprises as much as one 1,000 times less likely: what
is learned from other databases' questions is not that sure here."""
_VALUE_OF_VOTE = np.array([0.0, -1.0, 1.0])
"""Feature for a vote of -1 (abstain), 0 (correct), 1 (incorrect), looked up at vote + 1."""


@dataclass(frozen=True, slots=True)
class SignalRecord:
    """What a detector remembers of a signal that it was fitted with."""

    name: str
    group: Group
    family: str
    version: int
    reasons: tuple[str, ...] = ()

    @classmethod
    def of(cls, signal: SignalInfo) -> Self:
        """Return the record of a signal's specification."""
        version = int(getattr(signal, "version", 1))
        reasons = tuple(getattr(signal, "reasons", ()))
        return cls(signal.name, Group(signal.group), signal.family, version, reasons)

    @property
    def is_weighed_by_reason(self) -> bool:
        """Whether each of its reasons has a column: not of candidates, nor of judges."""
        return self.group in (Group.DATABASE, Group.QUESTION) and bool(self.reasons)


class FeatureSpace:
    """The columns of a detector: the same names in the same order at fit and ever after.

    The columns are, in this order:

    ``vote.F``
        1 where labeling function F says incorrect, -1 where it says correct, 0 where it abstains.
    ``score.S``
        Score in [0, 1] of signal S's strongest finding, high = more likely wrong, 0 where it did
        not fire; for an outside source from -1 to 1, 0 where it did not vote.
    ``reason.S.R``
        Reason R of signal S: its largest measure, 1 without degrees, 0 where it was not given;
        a quarter of it where a stronger finding marks the same condition.
    ``silent.S``
        1 where signal S looked and found nothing.
    ``fired.G``
        Number of signals of group G that fired.
    ``findings.L``
        Number of findings of level L (info, warning, error), those on candidates left out.
    ``answered.S``
        1 where consistency signal S could compare the case's candidates, else 0: its silence
        is agreement, and agreement is evidence.
    ``asked.J``
        1 where judge J (an outside source, or a signal that asks a language model) gave an
        answer, else 0.
    ``agreement.X``
        How many independent candidates there are, and which share of them disagrees.
    ``expected.X``
        How much attribute X of the query surprises after the question, from 0 to 3, high =
        more likely wrong; 0 where nothing was expected.
    ``shape.X``
        A measure of the query or the question, on a logarithmic scale: sign(x) log(1 + |x|).

    Parameters
    ----------
    signals
        The signals, in the registry's order.
    outside
        Names of the outside sources.
    shape
        Names of the measures in `Inspection.shape`.
    by
        Whether each signal or each family votes.
    shape_levels
        Where the measures of shape vote, see `shape_levels`; empty where they do not.
    expected
        Names of the attributes in `Inspection.expectation`.
    """

    def __init__(
        self,
        signals: Sequence[SignalRecord],
        outside: Sequence[str] = (),
        shape: Sequence[str] = (),
        by: VotingUnit = "signal",
        shape_levels: ShapeLevels | None = None,
        expected: Sequence[str] = (),
    ) -> None:
        self.signals = tuple(signals)
        self.outside = tuple(outside)
        self.shape = tuple(shape)
        self.expected = tuple(expected)
        self.by = by
        self.shape_levels = dict(shape_levels or {})
        self.functions = (
            *build_labeling_functions(self.signals, by=by),
            *shape_functions(self.shape_levels),
        )
        self.sources = tuple(signal.name for signal in self.signals) + self.outside
        self._refuse_shared_names()
        self.function_names = tuple(function.name for function in self.functions) + self.outside
        self._graded = tuple(
            signal.name for signal in self.signals if signal.group is Group.CONSISTENCY
        )
        models = tuple(signal.name for signal in self.signals if signal.group is Group.LLM)
        self._models = models
        self._question = tuple(
            signal.name for signal in self.signals if signal.group is Group.QUESTION
        )
        self.names = tuple(self._column_names())
        column = {name: index for index, name in enumerate(self.names)}
        self._function_column = {name: index for index, name in enumerate(self.function_names)}
        self._score_column = {name: column[f"score.{name}"] for name in self.sources}
        by_reason = [signal for signal in self.signals if signal.is_weighed_by_reason]
        self._reason_column = {
            (signal.name, reason): column[f"{REASON}{signal.name}.{reason}"]
            for signal in by_reason
            for reason in signal.reasons
        }
        self._silent_column = {one.name: column[f"{SILENT}{one.name}"] for one in by_reason}
        self._group_column = {
            signal.name: column[f"fired.{signal.group.value}"] for signal in self.signals
        }
        self._level_column = {level: column[f"findings.{level.value}"] for level in _LEVELS}
        self._answered_column = {name: column[f"answered.{name}"] for name in self._graded}
        self._answered_column |= {name: column[f"asked.{name}"] for name in models}
        self._asked_column = {name: column[f"asked.{name}"] for name in self.outside}
        self._expected_column = {name: column[f"expected.{name}"] for name in self.expected}
        self._own_functions = self._functions_by_source()
        self._agreement_column = {
            name.removeprefix("agreement."): column[name]
            for name in AGREEMENT_COLUMNS
            if name in column
        }
        compared = {
            function.name
            for function in self.functions
            if function.signals and set(function.signals) <= set(self._graded)
        }
        self._compared_votes = [self._function_column[name] for name in sorted(compared)]
        self._compared_columns = [
            index
            for index, name in enumerate(self.names)
            if name.startswith("agreement.")
            or name == f"fired.{Group.CONSISTENCY.value}"
            or name.partition(".")[2] in compared | set(self._graded)
        ]
        self.answer_columns = tuple(self._answered_column.values()) + tuple(
            column[f"score.{name}"] for name in self.outside
        )
        """Columns of answers that speak for a query: of candidates, and of judges."""
        self.answer_columns += (*self._asked_column.values(), *self._agreement_column.values())
        self.expectation_columns = tuple(self._expected_column.values())
        self.shape_columns = tuple(column[f"shape.{name}"] for name in self.shape)

    def _column_names(self) -> Iterator[str]:
        """Yield the columns' names in the order in which the class describes them."""
        by_reason = [signal for signal in self.signals if signal.is_weighed_by_reason]
        yield from (f"vote.{name}" for name in self.function_names)
        yield from (f"score.{name}" for name in self.sources)
        yield from (f"{REASON}{one.name}.{reason}" for one in by_reason for reason in one.reasons)
        yield from (f"{SILENT}{one.name}" for one in by_reason)
        groups = dict.fromkeys(signal.group for signal in self.signals)
        yield from (f"fired.{group.value}" for group in groups)
        yield from (f"findings.{level.value}" for level in _LEVELS)
        yield from (f"answered.{name}" for name in self._graded)
        yield from (f"asked.{name}" for name in self._models + self.outside)
        yield from AGREEMENT_COLUMNS if self._graded else ()
        yield from (f"expected.{name}" for name in self.expected)
        yield from (f"shape.{name}" for name in self.shape)

    def _refuse_shared_names(self) -> None:
        taken = {function.name for function in self.functions} | {
            signal.name for signal in self.signals
        }
        for name in self.outside:
            if name in taken:
                raise InputError(
                    f"votes from outside use the name '{name}', which clausewise itself uses; "
                    "rename them",
                    field="signal",
                )

    def _functions_by_source(self) -> dict[str, tuple[LabelingFunction, ...]]:
        """Return, for each signal, the functions by which it says INCORRECT."""
        found: dict[str, list[LabelingFunction]] = {name: [] for name in self.sources}
        for function in self.functions:
            if not function.says_correct:
                for signal in function.signals:
                    found[signal].append(function)
        return {name: tuple(functions) for name, functions in found.items()}

    def label_matrix(self, inspections: Sequence[Inspection], outside: OutsideVotes) -> LabelMatrix:
        """Return votes `[n, m]`, with a column for every outside source known at fit.

        A source that says nothing this time abstains everywhere.

        Raises
        ------
        InputError
            Where `outside` holds a source that was not known at fit, or an inspection lacks a
            signal.
        """
        return build_label_matrix(inspections, self.functions, outside.of_sources(self.outside))

    def table(
        self, inspections: Sequence[Inspection], matrix: LabelMatrix, outside: OutsideVotes
    ) -> FeatureTable:
        """Return the features of inspected cases and the votes `matrix` on them.

        Raises
        ------
        InputError
            Where an inspection lacks a measure of shape.
        """
        n_votes = len(self.function_names)
        values = np.zeros((len(inspections), len(self.names)))
        values[:, :n_votes] = _VALUE_OF_VOTE[matrix.votes + 1]
        for row, inspection in zip(values, inspections, strict=True):
            self._fill_signals(row, inspection)
            for name, agreement_column in self._agreement_column.items():
                row[agreement_column] = inspection.agreement.get(name, 0.0)
            for name, expected_column in self._expected_column.items():
                row[expected_column] = min(inspection.expectation.get(name, 0.0), MOST_SURPRISE)
        for name in self.outside:
            scores = outside.scores(name, matrix.question_ids)  # 0.5 where it did not vote
            values[:, self._score_column[name]] = 2.0 * scores - 1.0
            voted = outside.votes(name, matrix.question_ids) != Vote.ABSTAIN
            values[:, self._asked_column[name]] = voted
        if self.shape:
            raw = np.array([self._shape_of(inspection) for inspection in inspections])
            raw = raw.reshape(len(inspections), len(self.shape))
            values[:, -len(self.shape) :] = np.sign(raw) * np.log1p(np.abs(raw))
        settings = np.array([self._setting(item) for item in inspections], np.int8)
        if self.outside:
            asked = values[:, [self._asked_column[name] for name in self.outside]].any(axis=1)
            settings |= np.where(asked, HAS_JUDGES, 0).astype(np.int8)
        return FeatureTable(matrix.votes, values, self.names, settings)

    def _setting(self, inspection: Inspection) -> int:
        outcomes = inspection.outcomes
        setting = 0
        if any(outcomes[name].answered for name in self._graded):
            setting |= HAS_CANDIDATES
        if any(outcomes[name].answered for name in self._models):
            setting |= HAS_JUDGES
        if self._question and not any(outcomes[name].answered for name in self._question):
            setting |= QUESTION_UNREAD
        return setting

    def _fill_signals(self, row: NDArray[np.float64], inspection: Inspection) -> None:
        for name, answered_column in self._answered_column.items():
            row[answered_column] = float(inspection.outcomes[name].answered)
        repeated = echoes(inspection)
        for name, group_column in self._group_column.items():
            outcome = inspection.outcomes[name]
            if outcome.status is OutcomeStatus.FIRED:
                row[self._score_column[name]] = outcome.score
                row[group_column] += 1.0
                if name not in self._graded:
                    self._fill_findings(row, outcome.findings, repeated)
            elif outcome.status is OutcomeStatus.SILENT and name in self._silent_column:
                row[self._silent_column[name]] = 1.0

    def _fill_findings(
        self, row: NDArray[np.float64], findings: Iterable[Finding], repeated: Collection[Key]
    ) -> None:
        for finding in findings:
            row[self._level_column[finding.level]] += 1.0
            column = self._reason_column.get((finding.signal, finding.reason))
            if column is not None:
                measure = 1.0 if finding.measure is None else finding.measure
                if (finding.signal, finding.reason) in repeated:
                    measure *= ECHO
                row[column] = max(row[column], measure)

    def _shape_of(self, inspection: Inspection) -> list[float]:
        try:
            return [inspection.shape[name] for name in self.shape]
        except KeyError:
            missing = [name for name in self.shape if name not in inspection.shape]
            raise InputError(
                f"question {inspection.case.question_id!r} was inspected without the measures "
                f"of shape {', '.join(missing)}"
            ) from None

    def alone(self, table: FeatureTable) -> FeatureTable:
        """Return the cases as they look without candidates: the same table where none has any.

        What a classifier sees: what candidates add, is added to its log-odds afterwards.
        """
        compared = (table.settings & HAS_CANDIDATES) > 0
        if not compared.any():
            return table
        votes, values = table.votes.copy(), table.values.copy()
        votes[:, self._compared_votes] = Vote.ABSTAIN
        values[:, self._compared_columns] = 0.0
        settings = table.settings & ~np.int8(HAS_CANDIDATES)
        return FeatureTable(votes, values, self.names, settings)

    def agreement(self, table: FeatureTable) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return `[n]` disagreement in [0, 1] and `[n]` independent voices, 0 without any."""
        if not self._agreement_column:
            none = np.zeros(len(table.values))
            return none, none
        disagreement, voices = (
            table.values[:, self._agreement_column[name]] for name in (DISAGREEMENT, VOICES)
        )
        return disagreement, voices

    def silence(
        self,
        table: FeatureTable,
        row: int,
        inspection: Inspection,
        sources: Sequence[str],
        reference: Mapping[str, float] = MappingProxyType({}),
    ) -> None:
        """Make `sources` look silent in one row of `table`, in place.

        Their votes, scores and counts are taken back; a family's vote only when all its members
        that fired are among `sources`. The functions that say CORRECT keep the votes they have.
        A consistency signal looks as if it had no candidates, a judge as if it was not asked:
        their silence would be evidence. A distance of a source's own name is what its findings
        tell of: it is put to its value in `reference`, 0 where it has none.
        """
        votes, values = table.votes[row], table.values[row]
        for name in sources:
            told = self._expected_column.get(name)
            if told is not None:
                values[told] = reference.get(self.names[told], 0.0)
            values[self._score_column[name]] = 0.0
            if name in self._answered_column:
                values[self._answered_column[name]] = 0.0
            if name in self._graded:
                values[list(self._agreement_column.values())] = 0.0
            if name in self._asked_column:
                values[self._asked_column[name]] = 0.0
                self._abstain(votes, values, name)
                continue
            outcome = inspection.outcomes[name]
            values[self._group_column[name]] -= 1.0
            if name in self._silent_column:
                values[self._silent_column[name]] = 1.0
                for finding in outcome.findings:
                    column = self._reason_column.get((name, finding.reason))
                    if column is not None:
                        values[column] = 0.0
            if name not in self._graded:
                for finding in outcome.findings:
                    values[self._level_column[finding.level]] -= 1.0
            for function in self._own_functions[name]:
                fired = _fired(inspection, function.signals)
                if fired <= set(sources):
                    self._abstain(votes, values, function.name)

    def _abstain(self, votes: NDArray[np.int8], values: NDArray[np.float64], function: str) -> None:
        column = self._function_column[function]
        votes[column] = Vote.ABSTAIN
        values[column] = 0.0

    def extended(self, signals: Sequence[SignalRecord], outside: Sequence[str]) -> FeatureSpace:
        """Return the space with more signals and outside sources."""
        return FeatureSpace(
            (*self.signals, *signals),
            (*self.outside, *outside),
            self.shape,
            self.by,
            self.shape_levels,
            self.expected,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the columns' definition as plain JSON."""
        return {
            "signals": [
                {
                    "name": signal.name,
                    "group": signal.group.value,
                    "family": signal.family,
                    "version": signal.version,
                    "reasons": list(signal.reasons),
                }
                for signal in self.signals
            ],
            "outside": list(self.outside),
            "shape": list(self.shape),
            "expected": list(self.expected),
            "by": self.by,
            "shape_levels": self.shape_levels,
        }

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> FeatureSpace:
        """Return the space that `to_json` described."""
        signals = [
            SignalRecord(
                entry["name"],
                Group(entry["group"]),
                entry["family"],
                entry["version"],
                tuple(entry["reasons"]),
            )
            for entry in saved["signals"]
        ]
        levels = saved.get("shape_levels")
        expected = saved.get("expected", ())
        return cls(signals, saved["outside"], saved["shape"], saved["by"], levels, expected)


def running(inspections: Iterable[InspectionResult]) -> list[Inspection]:
    """Return the cases whose queries run: the only ones that are learned from and weighed."""
    return [
        item
        for item in inspections
        if isinstance(item, Inspection) and item.status is CaseStatus.OK
    ]


def _fired(inspection: Inspection, signals: Sequence[str]) -> set[str]:
    return {name for name in signals if inspection.outcomes[name].status is OutcomeStatus.FIRED}
