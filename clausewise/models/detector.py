"""The detector: learns from cases, with or without labels, and scores others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from clausewise.errors import InputError, NotFittedError
from clausewise.labeling import LabelMatrix, LevelsOf, OutsideVotes, VotingUnit
from clausewise.models.calibration.decision import Costs, DecisionRule, chosen_threshold
from clausewise.models.calibration.maps import Calibrator
from clausewise.models.classifiers.base import Classifier
from clausewise.models.features import SignalRecord
from clausewise.models.fitted_signals import installed_signals
from clausewise.models.inspected import Inspected, running
from clausewise.models.label_models.votes import LabelModel
from clausewise.models.learning import Learned, Settings, learn
from clausewise.models.persistence import load_learned, save_learned
from clausewise.models.probability import both_classes
from clausewise.models.registries import PACKAGED, require_extras
from clausewise.models.scoring import score_batch
from clausewise.types import Case, Group, Inspection, OutsideVote, ScoredCase, UncheckedCase

if TYPE_CHECKING:
    from clausewise.databases import Database, Databases
    from clausewise.llm import LLM
    from clausewise.signals import SignalSpec

    DatabaseSource: TypeAlias = Databases | Database | str | Path

MODEL_SIGNALS = "sqlens-llm"
"""What is asked of a language model where the detector does not say."""
_BATCH = 2048
"""Cases that are turned into arrays at a time."""


class Detector:
    """Gives the calibrated probability that a query is incorrect, and each finding's part in it.

    Signals look at the cases, their votes are weighed by a label model without labels, a
    classifier learns from its probabilities what votes, scores and the query's shape together
    say, and calibration makes the result mean what it says.

    Parameters
    ----------
    signals
        A selector such as ``"all"`` or ``"sqlens"``, or the specifications themselves.
    label_model
        ``"snorkel"`` (needs the extra ``learn``), ``"majority"`` or ``"weighted"``.
    classifier
        ``"autogluon"`` (needs the extra ``learn``), ``"logistic"``, or ``"none"`` for the label
        model's own probability.
    calibration
        ``"balance"`` needs no labels, ``"platt"`` some, ``"isotonic"`` some hundreds; ``"none"``;
        ``"auto"`` takes what the labels given to `fit` allow.
    class_balance
        Share of incorrect queries in (0, 1) where it is known; else it is estimated.
    by
        ``"signal"`` or ``"family"``: what has one vote.
    start
        ``"packaged"``: the classifier starts from the packaged detector's weights and adapts
        them; ``"none"``: from nothing, as in the paper; or the folder of a detector with the
        additive classifier.
    threshold
        A case is called incorrect at or above this probability. None: the one of best F1 on the
        labels given to `fit`; without labels, of the best F1 to be expected from the calibrated
        probabilities, usually well below 0.5.
    costs
        Of a miss and a false alarm: the threshold follows from them. Not together with `threshold`.
    shape_functions
        Whether weak functions call long queries INCORRECT and short ones CORRECT; or what sets
        their levels from the cases, such as
        ``functools.partial(clausewise.labeling.shape_levels, measures=("tokens", "joins"))``.
    seed
        Fixes everything random.
    time_limit
        Seconds for the classifier; where it is reached, the result depends on the machine.
    jobs
        Processes that inspect cases.
    llm
        The language model that signals may ask; None: they do not apply. It is not saved. A
        detector with the additive classifier, such as the packaged one, gives the signals of
        `sqlens-llm` the weight of unknown judges where it was fitted without them.

    References
    ----------
    SQLens, section 3.2, for the labeling functions and their aggregation.
    """

    def __init__(
        self,
        *,
        signals: str | Sequence[SignalSpec] = "all",
        label_model: str = "snorkel",
        classifier: str = "autogluon",
        calibration: str = "auto",
        class_balance: float | None = None,
        by: VotingUnit = "signal",
        start: str = "packaged",
        threshold: float | None = None,
        costs: Costs | None = None,
        shape_functions: bool | LevelsOf = False,
        seed: int = 0,
        time_limit: float | None = None,
        jobs: int = 1,
        llm: LLM | None = None,
    ) -> None:
        self.signals = signals
        self.label_model = label_model
        self.classifier = classifier
        self.calibration = calibration
        self.class_balance = class_balance
        self.by = by
        self.start = start
        self.threshold = threshold
        self.costs = costs
        self.shape_functions = shape_functions
        self.seed = seed
        self.time_limit = time_limit
        self.jobs = jobs
        self.llm = llm
        self._learned: Learned | None = None
        self._databases: DatabaseSource | None = None

    def fit(
        self,
        cases: Iterable[Case | UncheckedCase],
        databases: DatabaseSource,
        labels: Mapping[str | int, bool] | None = None,
        votes: Iterable[OutsideVote] = (),
    ) -> Self:
        """Learn from cases.

        Parameters
        ----------
        cases
            Cases whose queries do not run are only counted. Their field `correct` is not read.
        databases
            The databases, a folder of them, or one database for all cases. They are also what
            `score` uses where it is given none.
        labels
            Question id to whether the query is correct, for none, some or all of the cases. With
            labels for 80 % of them (and at least 50), the classifier learns from the labels and
            is calibrated by cross-validation grouped by database (by question, where there is
            one database); with fewer they serve calibration and the threshold only.
        votes
            Votes from outside.

        Raises
        ------
        InputError
            Where nothing can be learned from the cases, labels or votes.
        MissingExtraError
            Where the label model or the classifier is not installed.
        """
        require_extras(self.label_model, self.classifier)
        from clausewise.signals.runner.judges import require_model

        specs = self._selected()
        require_model(specs, self.llm)
        self._databases = databases
        inspections = self._inspect(cases, databases, specs)
        return self.fit_inspections(inspections, labels, votes)

    def fit_inspections(
        self,
        inspections: Sequence[Inspected],
        labels: Mapping[str | int, bool] | None = None,
        votes: Iterable[OutsideVote] = (),
    ) -> Self:
        """Learn from cases that the detector's signals have looked at; see `fit`."""
        outside = _outside_votes(votes, inspections)
        records = [SignalRecord.of(spec) for spec in self._selected()]
        self._learned = learn(inspections, records, self._settings(), labels, outside)
        return self

    def predict_proba(
        self,
        cases: Iterable[Case | UncheckedCase],
        databases: DatabaseSource | None = None,
        votes: Iterable[OutsideVote] = (),
    ) -> NDArray[np.float64]:
        """Return `[n, 2]` probabilities, columns incorrect and correct.

        A case whose query does not parse or does not run has the row (1, 0); one that could not
        be checked has NaN. `databases` defaults to those given to `fit`.
        """
        scored = self.score(cases, databases, votes)
        correct = np.array(
            [np.nan if case.p_correct is None else case.p_correct for case in scored],
            dtype=np.float64,
        )
        return both_classes(1.0 - correct)

    def score(
        self,
        cases: Iterable[Case | UncheckedCase],
        databases: DatabaseSource | None = None,
        votes: Iterable[OutsideVote] = (),
        rule: DecisionRule | None = None,
    ) -> list[ScoredCase]:
        """Return one scored case for every case, in input order.

        `databases` defaults to those given to `fit`; `rule` has another threshold, or abstains.

        Raises
        ------
        NotFittedError
            Before `fit`.
        DetectorError
            Where a signal that the detector needs is not installed.
        InputError
            Where there are no databases, or votes of a source that `fit` has not seen.
        """
        databases = self._databases if databases is None else databases
        if databases is None:
            raise InputError("a loaded detector knows no databases: give them to score")
        self._fitted()
        inspections = self._inspect(cases, databases, self.specs())
        return self.score_inspections(inspections, _outside_votes(votes, inspections), rule)

    def score_inspections(
        self,
        inspections: Sequence[Inspected],
        votes: Iterable[OutsideVote] | OutsideVotes = (),
        rule: DecisionRule | None = None,
    ) -> list[ScoredCase]:
        """Score cases that the detector's signals have looked at; see `score`.

        Made for part after part of a long run: votes on questions that are not in this part
        are not complained of.
        """
        outside = votes if isinstance(votes, OutsideVotes) else OutsideVotes(votes)
        added = [SignalRecord.of(spec) for spec in self._added()]
        learned = self._fitted().with_judges(added, outside.signals)
        outside = outside.of_sources(learned.space.outside)
        rule = (rule or DecisionRule()).with_threshold(learned.threshold)
        scored: list[ScoredCase] = []
        for start in range(0, len(inspections), _BATCH):
            scored.extend(score_batch(learned, inspections[start : start + _BATCH], outside, rule))
        return scored

    def label_matrix(
        self, inspections: Sequence[Inspected], votes: Iterable[OutsideVote] = ()
    ) -> LabelMatrix:
        """Return the votes of the functions on the cases whose queries run, for `summarize`."""
        return self._fitted().space.label_matrix(running(inspections), OutsideVotes(votes))

    def save(self, folder: str | Path) -> None:
        """Write the detector to a folder, whole or not at all.

        Raises DetectorError where the folder holds something else or cannot be written.
        """
        selector = self.signals if isinstance(self.signals, str) else None
        save_learned(self._fitted(), self._settings(), selector, Path(folder))

    @classmethod
    def load(cls, folder: str | Path, trust: bool = False) -> Self:
        """Read a detector that `save` wrote.

        Parameters
        ----------
        folder
            The detector's folder. Every file in it is checked against the manifest first.
        trust
            Load pickled models (AutoGluon's) even where this user did not make them on this
            machine. They can run any code: only for folders whose origin you trust.

        Raises
        ------
        DetectorError
            Where the folder is missing, damaged or of another version.
        UntrustedDetectorError
            Where it holds pickles of unknown origin and `trust` is false.
        """
        learned, settings, selector = load_learned(Path(folder), trust=trust)
        if selector is None:  # it was fitted with specifications, not with a selector
            selector = ",".join(signal.name for signal in learned.space.signals)
        detector = cls(signals=selector, **settings.to_json())
        detector._learned = learned
        return detector

    def _inspect(
        self,
        cases: Iterable[Case | UncheckedCase],
        databases: DatabaseSource,
        specs: Sequence[SignalSpec],
    ) -> list[Inspected]:
        from clausewise.databases import Databases
        from clausewise.signals import inspect_cases

        if isinstance(databases, Databases):
            return inspect_cases(cases, databases, specs, self.jobs, self.llm)
        with closing(Databases(databases)) as opened:
            return inspect_cases(cases, opened, specs, self.jobs, self.llm)

    def specs(self) -> tuple[SignalSpec, ...]:
        """Return the signals to run on cases: the fitted ones, before `fit` the selected ones.

        Signals that the selector names and that were added since `fit`, such as those of a
        plug-in, are run too. They do not change the probability: their findings say so.

        Raises
        ------
        DetectorError
            Where a fitted signal is not installed.
        RegistryError
            Where the selector names nothing.

        Warns
        -----
        DetectorWarning
            Where a fitted signal is installed in another version.
        """
        if self._learned is None or not isinstance(self.signals, str):
            return self._selected()
        weighed = (*installed_signals(self._learned.space.signals), *self._added())
        known = {spec.name for spec in weighed}
        return (*weighed, *(spec for spec in self._selected(False) if spec.name not in known))

    def _added(self) -> tuple[SignalSpec, ...]:
        """Return the signals that the language model answers and `fit` has not seen."""
        fitted = self._fitted().space.signals
        if self.llm is None or any(signal.group is Group.LLM for signal in fitted):
            return ()
        from clausewise.signals import select_signals

        return select_signals(MODEL_SIGNALS)

    def _selected(self, models: bool | None = None) -> tuple[SignalSpec, ...]:
        """Return the signals that the selector names.

        `models` says whether those that ask a language model are part of `all`; by default,
        where there is a model to ask.
        """
        if not isinstance(self.signals, str):
            return tuple(self.signals)
        from clausewise.signals import select_signals

        models = self.llm is not None if models is None else models
        return select_signals(self.signals, models=models)

    def _settings(self) -> Settings:
        return Settings(
            label_model=self.label_model,
            classifier=self.classifier,
            calibration=self.calibration,
            class_balance=self.class_balance,
            by=self.by,
            start=self.start,
            threshold=chosen_threshold(self.threshold, self.costs),
            seed=self.seed,
            time_limit=self.time_limit,
            shape_functions=self.shape_functions,
        )

    def _fitted(self) -> Learned:
        if self._learned is None:
            raise NotFittedError("this detector is not fitted: call fit, or load a saved one")
        return self._learned

    @property
    def label_model_(self) -> LabelModel:
        """The fitted label model."""
        return self._fitted().label_model

    @property
    def classifier_(self) -> Classifier:
        """The fitted classifier."""
        return self._fitted().classifier

    @property
    def calibrator_(self) -> Calibrator:
        """The fitted calibration."""
        return self._fitted().calibrator

    @property
    def class_balance_(self) -> float:
        """Share of incorrect queries in (0, 1) that was assumed or estimated."""
        return self._fitted().class_balance

    @property
    def threshold_(self) -> float:
        """The verdict is incorrect at or above this probability of being incorrect."""
        return self._fitted().threshold

    @property
    def columns_(self) -> tuple[str, ...]:
        """Names of the classifier's features."""
        return self._fitted().space.names

    @property
    def signals_(self) -> tuple[SignalRecord, ...]:
        """The signals that the detector was fitted with."""
        return self._fitted().space.signals

    @property
    def training_(self) -> Mapping[str, Any]:
        """Counts of cases, databases and labels; see `Learned.training`."""
        return self._fitted().training


def packaged_detector() -> Detector:
    """Return the detector that ships with clausewise: usable without any fitting.

    Raises DetectorError where the installation lacks it.
    """
    return Detector.load(PACKAGED)


def _outside_votes(votes: Iterable[OutsideVote], inspections: Sequence[Inspected]) -> OutsideVotes:
    outside = OutsideVotes(votes)
    outside.warn_of_unknown(
        item.case.question_id for item in inspections if isinstance(item, Inspection)
    )
    return outside
