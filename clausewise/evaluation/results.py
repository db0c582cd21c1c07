"""The figures that an evaluation gives, and their form as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from clausewise.types import SCHEMA_VERSION, Json

RISKS = {"coverage_at_risk_5": 0.05, "coverage_at_risk_10": 0.10, "coverage_at_risk_20": 0.20}
"""Share of incorrect queries tolerated among the accepted ones, by the figure's name."""

METRICS = (
    "accuracy",
    "auc",
    "average_precision",
    "precision",
    "recall",
    "f1",
    "brier",
    "ece",
    *RISKS,
)
"""Every metric that `Metrics` holds, in the order of reports."""

_DIGITS = 6


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)


def _pair(low: float | None, high: float | None) -> Json:
    return None if low is None or high is None else [round(low, _DIGITS), round(high, _DIGITS)]


@dataclass(frozen=True, slots=True)
class Figure:
    """One metric with its 95 % interval.

    `value` is None where the metric is undefined, `low` and `high` where there is no interval;
    `reason` then says why.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Metrics:
    """The metrics of one ranking of one set of cases.

    `figures` has an entry for each name of `METRICS` and for `n_incorrect`, whose value is the
    plain count and whose interval says how much the count varies between resamples.
    """

    n: int
    n_incorrect: int
    figures: Mapping[str, Figure]

    def __getitem__(self, name: str) -> Figure:
        return self.figures[name]

    def to_dict(self) -> dict[str, Json]:
        """Return values by metric, `intervals` of [low, high], and `reasons` for every null."""
        names = ("n_incorrect", *METRICS)
        ranges = {name: _pair(self[name].low, self[name].high) for name in names}
        reasons = {name: figure.reason for name in names if (figure := self[name]).reason}
        values = {name: _rounded(self[name].value) for name in METRICS}
        return {
            "n": self.n,
            "n_incorrect": self.n_incorrect,
            **_nest_risks(values),
            "intervals": _nest_risks(ranges),
            "reasons": dict(reasons),
        }


def _nest_risks(figures: Mapping[str, Json]) -> dict[str, Json]:
    """Put the coverages under `coverage_at_risk`, by the risk in percent."""
    nested: dict[str, Json] = {name: value for name, value in figures.items() if name not in RISKS}
    nested["coverage_at_risk"] = {
        name.removeprefix("coverage_at_risk_"): figures[name] for name in RISKS
    }
    return nested


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Cases of similar probability: `n` of them, with the mean `predicted` probability of being
    incorrect and the share that is `incorrect`, both in [0, 1]; equal where calibrated.
    """

    n: int
    predicted: float
    incorrect: float

    def to_dict(self) -> dict[str, Json]:
        """Return the three figures."""
        return {
            "n": self.n,
            "predicted": _rounded(self.predicted),
            "incorrect": _rounded(self.incorrect),
        }


@dataclass(frozen=True, slots=True)
class Answered:
    """The cases that were not abstained on: `n` of them.

    `coverage` is their share of all cases, `accuracy` the share of right verdicts among them,
    both in [0, 1], high = better. Without an abstention band every case is answered.
    """

    n: int
    coverage: Figure
    accuracy: Figure

    def to_dict(self) -> dict[str, Json]:
        """Return the figures and their `intervals` of [low, high]."""
        figures = {"coverage": self.coverage, "accuracy": self.accuracy}
        return {
            "n": self.n,
            **{name: _rounded(figure.value) for name, figure in figures.items()},
            "intervals": {name: _pair(figure.low, figure.high) for name, figure in figures.items()},
            "reasons": {name: figure.reason for name, figure in figures.items() if figure.reason},
        }


@dataclass(frozen=True, slots=True)
class SignalFigures:
    """What one signal's firing says about the cases of a set.

    `answered` counts the cases that it could look at, `fired_on_incorrect` the hits and
    `fired_on_correct` the false alarms. `precision` is the share of hits among the fired, with
    its Wilson 95 % interval; `recall` the share of all incorrect queries on which it fired;
    `lift` is precision over `base_rate`, the share of incorrect queries in the whole set (1 =
    the firing says nothing). All None where undefined.
    """

    name: str
    answered: int
    not_applicable: int
    faults: int
    fired_on_incorrect: int
    fired_on_correct: int
    precision: float | None
    precision_interval: tuple[float, float] | None
    recall: float | None
    lift: float | None
    base_rate: float | None

    @property
    def fired(self) -> int:
        """Cases on which it fired."""
        return self.fired_on_incorrect + self.fired_on_correct

    def to_dict(self) -> dict[str, Json]:
        """Return the figures without the name."""
        return {
            "fired": self.fired,
            "fired_on_incorrect": self.fired_on_incorrect,
            "fired_on_correct": self.fired_on_correct,
            "precision": _rounded(self.precision),
            "precision_interval": _pair(*(self.precision_interval or (None, None))),
            "recall": _rounded(self.recall),
            "lift": _rounded(self.lift),
            "base_rate": _rounded(self.base_rate),
            "answered": self.answered,
            "not_applicable": self.not_applicable,
            "faults": self.faults,
        }


@dataclass(frozen=True, slots=True)
class CaseSet:
    """One set of cases: the detector's metrics, the baselines' beside them, and the signals.

    `reliability` and `signals` are empty for single databases.
    """

    metrics: Metrics
    answered: Answered
    baselines: Mapping[str, Metrics]
    reliability: Sequence[ReliabilityBin] = ()
    signals: Sequence[SignalFigures] = ()

    def to_dict(self) -> dict[str, Json]:
        """Return the metrics flat, with `baselines` and `signals` by name."""
        return {
            **self.metrics.to_dict(),
            "answered": self.answered.to_dict(),
            "reliability": [part.to_dict() for part in self.reliability],
            "baselines": {name: metrics.to_dict() for name, metrics in self.baselines.items()},
            "signals": {signal.name: signal.to_dict() for signal in self.signals},
        }


@dataclass(frozen=True, slots=True)
class Localization:
    """How often the strongest finding names a clause kind in which query and gold differ.

    Over the `n` incorrect queries that have findings and differ from their gold in one or two
    clause kinds. `share` is `hits / n`, in [0, 1], None where n is 0; `common_share` is what
    naming `common_kind` every time would reach on the same queries. `kinds` counts in how many
    of them each kind differs; `left_out` counts the other incorrect queries by reason.
    """

    n: int
    hits: int
    interval: tuple[float, float] | None
    common_kind: str | None
    common_hits: int
    kinds: Mapping[str, int]
    left_out: Mapping[str, int]

    @property
    def share(self) -> float | None:
        """Share of the queries whose strongest finding names a differing kind."""
        return self.hits / self.n if self.n else None

    @property
    def common_share(self) -> float | None:
        """Share that always naming the most common kind would reach."""
        return self.common_hits / self.n if self.n else None

    def to_dict(self) -> dict[str, Json]:
        """Return everything under the attributes' names."""
        return {
            "n": self.n,
            "hits": self.hits,
            "share": _rounded(self.share),
            "interval": _pair(*(self.interval or (None, None))),
            "common_kind": self.common_kind,
            "common_share": _rounded(self.common_share),
            "kinds": dict(self.kinds),
            "left_out": dict(self.left_out),
        }


@dataclass(frozen=True, slots=True)
class AblationRow:
    """What one part of the signals is worth.

    `fired` counts the cases on which any of its signals fired. `without` is the AUC of the
    detector that lacks it, `change` that AUC minus the whole detector's (negative: the part
    helps), `alone` the AUC with nothing else; undefined where nothing could be learned.
    """

    name: str
    signals: tuple[str, ...]
    fired: int
    without: Figure
    change: Figure
    alone: Figure

    def to_dict(self) -> dict[str, Json]:
        """Return the figures and their `intervals` of [low, high]."""
        figures = {"without": self.without, "change": self.change, "alone": self.alone}
        return {
            "name": self.name,
            "signals": list(self.signals),
            "fired": self.fired,
            **{name: _rounded(figure.value) for name, figure in figures.items()},
            "intervals": {name: _pair(figure.low, figure.high) for name, figure in figures.items()},
        }


@dataclass(frozen=True, slots=True)
class Ablation:
    """The AUC `full` of the whole detector on `n` queries that run, and what each part changes.

    With several databases every detector was fitted on other databases than it scored.
    """

    by: str
    n: int
    n_incorrect: int
    n_databases: int
    full: Figure
    rows: Sequence[AblationRow]

    def to_dict(self) -> dict[str, Json]:
        """Return the object that `clausewise ablate --json` prints."""
        return {
            "by": self.by,
            "n": self.n,
            "n_incorrect": self.n_incorrect,
            "n_databases": self.n_databases,
            "auc": _rounded(self.full.value),
            "auc_interval": _pair(self.full.low, self.full.high),
            "parts": [row.to_dict() for row in self.rows],
            "schema_version": SCHEMA_VERSION,
        }


@dataclass(frozen=True, slots=True)
class Excluded:
    """What was given and not measured.

    `unchecked`: cases without a probability; `unlabeled`: cases whose label is not known;
    `labels_without_case`: labels whose case is not among the scores.
    """

    unchecked: int
    unlabeled: int
    labels_without_case: int

    def to_dict(self) -> dict[str, Json]:
        """Return the three counts."""
        return {
            "unchecked": self.unchecked,
            "unlabeled": self.unlabeled,
            "labels_without_case": self.labels_without_case,
        }


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Scores against labels. Built by `clausewise.evaluation.evaluate`.

    `executable_only` leaves out the cases that do not parse or do not run; `databases` is by
    `db_id`, in the order of first appearance, and without signal figures.
    """

    overall: CaseSet
    executable_only: CaseSet
    databases: Mapping[str, CaseSet]
    excluded: Excluded
    localization: Localization | None
    bootstrap: int
    seed: int

    def to_dict(self) -> dict[str, Json]:
        """Return the object that `clausewise evaluate --json` prints.

        The metrics over all cases stand at the top, the same keys below `executable_only` and
        each entry of `databases`.
        """
        return {
            **self.overall.to_dict(),
            "executable_only": self.executable_only.to_dict(),
            "databases": {name: scope.to_dict() for name, scope in self.databases.items()},
            "localization": None if self.localization is None else self.localization.to_dict(),
            "excluded": self.excluded.to_dict(),
            "bootstrap": {"resamples": self.bootstrap, "seed": self.seed},
            "schema_version": SCHEMA_VERSION,
        }
