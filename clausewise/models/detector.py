"""The detector: learns from cases, with or without labels, and scores others."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from clausewise.errors import InputError
from clausewise.labeling import LevelsOf, OutsideVotes, VotingUnit
from clausewise.models.calibration.alarms import point_at
from clausewise.models.calibration.decision import Costs, DecisionRule
from clausewise.models.estimator import Parameters
from clausewise.models.features import SignalRecord
from clausewise.models.fitted import FittedAttributes
from clausewise.models.fitted_signals import (
    DetectorWarning,
    added_signals,
    installed_signals,
    restricted,
    selected_signals,
    unfitted_judges,
    voting_records,
    warn_of_view,
)
from clausewise.models.gold import expectation_from, with_expectation
from clausewise.models.persistence import load_learned, save_learned
from clausewise.models.probability import both_classes
from clausewise.models.recipes import recipe
from clausewise.models.registries import packaged_folder, replaced_text, require_extras
from clausewise.models.scoring import Scorer
from clausewise.models.settings import Settings
from clausewise.models.streaming import (
    DatabaseSource,
    DoubtfulOnly,
    Progress,
    RunSettings,
    ScoringWork,
    outside_votes,
    read_as_cases,
    reported,
    scores_of,
    stream_inspections,
    total_of,
)
from clausewise.scored_cases import ScoredCases
from clausewise.types import (
    Case,
    CaseJudgment,
    FindingJudgment,
    Inspection,
    InspectionResult,
    OutsideVote,
    ScoredCase,
    Strictness,
    UncheckedCase,
)

if TYPE_CHECKING:
    from clausewise.datasets.gold_pairs import GoldPairs
    from clausewise.datasets.in_memory import Cases
    from clausewise.llm import LLM
    from clausewise.signals import SignalSpec
    from clausewise.workers import Isolation


JUDGED_CASES = 2_000
"""Cases with votes of a judge unknown to the detector that are looked at to learn its worth."""


class Detector(RunSettings, FittedAttributes, Parameters):
    """Gives the calibrated probability that a query is incorrect, and each finding's part in it.

    Signals look at the cases, their votes are weighed by a label model without labels, a
    classifier learns from its probabilities what votes, scores and the query's shape together
    say, and calibration makes the result mean what it says.

    Parameters
    ----------
    signals
        A selector such as ``"all"`` or ``"sqlens"``, or the specifications themselves.
    label_model
        ``"snorkel"`` (needs the extra ``learn``), ``"majority"`` or ``"weighted"``; or an
        instance with ``fit(votes)`` and ``predict_proba(votes)``. None: ``"snorkel"`` where it is
        installed, else ``"weighted"``, with a warning.
    classifier
        ``"autogluon"`` (needs the extra ``learn``); ``"additive"``, a sum of scores whose weights
        stay near a common start, which is what the packaged detector has and what carries over
        best from few databases; ``"logistic"``; ``"none"`` for the label model's own probability;
        or an instance with ``fit(X, y)`` and ``predict_proba(X)``, such as any classifier of
        scikit-learn. None: ``"autogluon"`` where it is installed, else ``"additive"``, with a
        warning.
    calibration
        ``"balance"`` needs no labels, ``"platt"`` some, ``"isotonic"`` some hundreds; ``"none"``;
        ``"auto"`` takes what the labels given to `fit` allow; or an instance with
        ``fit(p, labels)`` and ``predict(p)``, such as scikit-learn's ``IsotonicRegression``.
    class_balance
        Share of incorrect queries in (0, 1) where known; else estimated, without a start assumed.
    by
        ``"signal"`` or ``"family"``: what has one vote.
    start
        ``"packaged"``: the classifier adapts the packaged detector's weights, or those of
        ``"packaged-schema"``, the one for cases without data; ``"none"``: from nothing;
        ``"alone"``: from nothing, and the classifier sees the votes only, as in the paper; or the
        folder of a detector with the additive classifier.
    threshold
        A case is called incorrect at or above this probability. None: the lowest one at which at
        most 5 % of the correct cases are called, on labels or as the calibrated probabilities lead
        one to expect; `DecisionRule.alarms` chooses another share at `score`.
    costs
        Of a miss and a false alarm: the threshold follows from them. Not together with `threshold`.
    shape_functions
        Whether weak functions call long queries INCORRECT and short ones CORRECT; or what sets
        their levels from the cases, such as
        ``functools.partial(clausewise.labeling.shape_levels, measures=("tokens", "joins"))``.
    conventions
        ``"relaxed"``: what people let pass, such as a column more than asked, rounding or an order,
        is reported as information and moves nothing; ``"strict"``: it counts as the benchmarks
        count it.
    seed
        Fixes everything random.
    time_limit
        Seconds for the classifier; where it is reached, the result depends on the machine.
    jobs
        Processes that inspect cases.
    isolation
        Hard limits on time and memory of these processes; None: the usual ones. `IN_PROCESS`
        inspects cases in this process, without them.
    llm
        The language model that signals may ask; None: they do not apply. It is not saved. A
        detector with the additive classifier, such as the packaged one, gives the signals of
        `sqlens-llm` the weight of unknown judges where it was fitted without them.

    Notes
    -----
    It follows scikit-learn's protocol: `get_params`, `set_params`, `sklearn.base.clone` and
    `check_is_fitted` work. It is no `ClassifierMixin`: `fit` takes databases where that expects
    `y`, and `score` returns scored cases. `FittedAttributes` lists what is there after `fit`.

    References
    ----------
    SQLens, section 3.2, for the labeling functions and their aggregation.
    """

    def __init__(
        self,
        *,
        signals: str | Sequence[SignalSpec] = "all",
        label_model: str | Any | None = None,
        classifier: str | Any | None = None,
        calibration: str | Any = "auto",
        class_balance: float | None = None,
        by: VotingUnit = "signal",
        start: str | Path = "packaged",
        threshold: float | None = None,
        costs: Costs | None = None,
        shape_functions: bool | LevelsOf = False,
        conventions: str = "relaxed",
        seed: int = 0,
        time_limit: float | None = None,
        jobs: int = 1,
        isolation: Isolation | None = None,
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
        self.conventions = conventions
        self.seed = seed
        self.time_limit = time_limit
        self.jobs = jobs
        self.isolation = isolation
        self.llm = llm

    @classmethod
    def recipe(cls, name: str, **params: Any) -> Self:
        """Return an unfitted detector with the parameters of a recipe.

        ``"sqlens"`` is the paper's own pipeline, see `clausewise.models.recipes`.

        Parameters
        ----------
        name
            The recipe.
        **params
            Parameters that it leaves open, such as `seed`, `class_balance` or `llm`.

        Raises
        ------
        InputError
            For an unknown recipe, or a parameter that contradicts it.
        """
        return cls(**recipe(name, params, models=params.get("llm") is not None))

    def fit(
        self,
        cases: Cases,
        databases: DatabaseSource,
        labels: Mapping[str | int, bool] | None = None,
        votes: Iterable[OutsideVote] = (),
        *,
        gold: GoldPairs | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Learn from cases.

        Parameters
        ----------
        cases
            Case objects, dicts, or a DataFrame; see `as_cases`. Cases whose queries do not run
            are only counted. Their field `correct` is not read.
        databases
            A folder of databases, one for all cases (path, URL or `Database`), a mapping by
            `db_id`, or `Databases`. They are also what `score` uses where it is given none.
        labels
            Question id to whether the query is correct, for none, some or all of the cases. With
            labels for 80 % of them (and at least 50), the classifier learns from the labels and
            is calibrated by cross-validation grouped by database (by question, where there is
            one database); with fewer they serve calibration and the threshold only.
        votes
            Votes from outside.
        gold
            Right queries of other questions, a file or `GoldPair` objects: they move what is
            expected.
        progress
            Called with the number of cases inspected so far and of all cases.

        Raises
        ------
        InputError
            Where nothing can be learned from the cases, labels or votes.
        MissingExtraError
            Where the label model or the classifier is not installed.
        """
        settings = self._settings()
        require_extras(settings.label_model, settings.classifier)
        if text := replaced_text(self.label_model, self.classifier):
            warnings.warn(text, DetectorWarning, stacklevel=2)
        from clausewise.signals.runner.judges import require_model

        settings.check()
        expectation, n_gold = (None, 0) if gold is None else expectation_from(gold, databases)
        specs = with_expectation(self._selected(), expectation)
        require_model(specs, self.llm)
        known = read_as_cases(cases)
        stream = stream_inspections(known, databases, specs, **self.run_settings())
        inspections = list(reported(stream, progress, total_of(known)))
        self.databases_ = databases
        self.fit_inspections(inspections, labels, votes)
        if expectation is not None:
            training = {**self.learned_.training, "n_gold": n_gold}
            self.learned_ = replace(self.learned_, expectation=expectation, training=training)
        return self

    def fit_inspections(
        self,
        inspections: Sequence[InspectionResult],
        labels: Mapping[str | int, bool] | None = None,
        votes: Iterable[OutsideVote] = (),
    ) -> Self:
        """Learn from cases that the detector's signals have looked at; see `fit`."""
        from clausewise.models.learning import learn

        cases = [item.case if isinstance(item, Inspection) else item for item in inspections]
        outside = outside_votes(votes, cases)
        records = voting_records(self._selected())
        self.learned_, self.label_matrix_ = learn(
            inspections, records, self._settings(), labels, outside
        )
        self.unchecked_ = tuple(item for item in inspections if isinstance(item, UncheckedCase))
        return self

    def predict(
        self,
        cases: Cases,
        databases: DatabaseSource | None = None,
        votes: Iterable[OutsideVote] = (),
    ) -> NDArray[np.str_]:
        """Return `[n]` verdicts: one of `classes_`, or "unchecked", which is no class.

        The verdict is "incorrect" from the detector's threshold on, not where that column of
        `predict_proba` is the larger one. A case that could not be checked is "unchecked".
        """
        scored = self.score(cases, databases, votes)
        return np.array([case.verdict.value for case in scored], dtype="<U9")

    def predict_proba(
        self,
        cases: Cases,
        databases: DatabaseSource | None = None,
        votes: Iterable[OutsideVote] = (),
    ) -> NDArray[np.float64]:
        """Return `[n, 2]` probabilities in [0, 1], columns as in `classes_`: incorrect, correct.

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
        cases: Cases,
        databases: DatabaseSource | None = None,
        votes: Iterable[OutsideVote] = (),
        rule: DecisionRule | None = None,
        *,
        progress: Progress | None = None,
    ) -> ScoredCases:
        """Return a list of scored cases, one for every case in order; see `iter_scores`."""
        return ScoredCases(self.iter_scores(cases, databases, votes, rule, progress=progress))

    def iter_scores(
        self,
        cases: Cases,
        databases: DatabaseSource | None = None,
        votes: Iterable[OutsideVote] = (),
        rule: DecisionRule | None = None,
        *,
        start: int = 0,
        doubtful: DoubtfulOnly | None = None,
        progress: Progress | None = None,
    ) -> Iterator[ScoredCase]:
        """Yield one scored case for every case, in input order, as they become ready.

        Parameters
        ----------
        cases, databases, votes, progress
            As for `fit`; `databases` defaults to those given to `fit`.
        rule
            Another threshold than the detector's, or a band in which to abstain.
        start
            Position of the first case to score: those before it were scored in an earlier run.
        doubtful
            Ask the language model only about the cases nearest to the threshold.

        Raises
        ------
        NotFittedError
            Before `fit`.
        DetectorError
            Where a signal that the detector needs is not installed.
        InputError
            Where there are no databases, or votes of a source that `fit` has not seen.
        """
        return scores_of(
            self.prepared(cases, databases, votes, rule), self, start, doubtful, progress
        )

    def prepared(
        self,
        cases: Cases,
        databases: DatabaseSource | None = None,
        votes: Iterable[OutsideVote] = (),
        rule: DecisionRule | None = None,
    ) -> ScoringWork:
        """Return what `iter_scores` works on, checked."""
        learned = self._fitted()
        if databases is None and (databases := getattr(self, "databases_", None)) is None:
            raise InputError("a loaded detector knows no databases: give them to score")
        known = read_as_cases(cases)
        specs = self.specs()
        warn_of_view(learned, databases)
        outside = outside_votes(votes, known)
        seen = self._voted_cases(known, databases, outside)
        scorer = self._scorer(outside, rule, specs, list(seen.values()))
        return ScoringWork(scorer, specs, known, databases, seen)

    def _voted_cases(
        self,
        cases: Iterable[Case | UncheckedCase],
        databases: DatabaseSource,
        outside: OutsideVotes,
    ) -> dict[int, InspectionResult]:
        """Return the first cases with votes of unknown judges, inspected to learn their worth.

        They are found by their position among all; of cases that are read only once, none.
        """
        unknown = set(outside.signals) - set(self._fitted().space.outside)
        if not unknown or not isinstance(cases, Sized):
            return {}
        voted = (
            (at, case)
            for at, case in enumerate(cases)
            if isinstance(case, Case) and outside.has_votes(case.question_id)
        )
        chosen = dict(islice(voted, JUDGED_CASES))
        settings = {**self.run_settings(), "llm": None}
        found = stream_inspections(chosen.values(), databases, self.specs(), **settings)
        return dict(zip(chosen, found, strict=True))

    def score_inspections(
        self,
        inspections: Iterable[InspectionResult],
        votes: Iterable[OutsideVote] | OutsideVotes = (),
        rule: DecisionRule | None = None,
    ) -> ScoredCases:
        """Score inspected cases, see `score`; votes on other questions are ignored."""
        outside = votes if isinstance(votes, OutsideVotes) else OutsideVotes(votes)
        known = list(inspections) if outside.signals else inspections
        seen = known if isinstance(known, list) else ()
        return ScoredCases(self._scorer(outside, rule, (), seen).scores(known))

    def _scorer(
        self,
        outside: OutsideVotes,
        rule: DecisionRule | None,
        specs: Sequence[SignalSpec] = (),
        seen: Sequence[InspectionResult] = (),
    ) -> Scorer:
        added = [SignalRecord.of(spec) for spec in self._added()]
        fitted = self._fitted()
        if seen and set(outside.signals) - set(fitted.space.outside):
            fitted = fitted.with_judges((), outside.signals).judging(seen, outside)
        learned = fitted.with_judges(added, outside.signals)
        learned = learned.with_signals(voting_records(specs))
        rule = rule or DecisionRule()
        if rule.class_balance is not None:
            learned = learned.at_balance(rule.class_balance)
        rule = rule.with_threshold(learned.threshold_of(rule))
        return Scorer(learned, outside.of_sources(learned.space.outside), rule)

    def threshold_for(self, rule: DecisionRule | None = None) -> float:
        """Return the probability in (0, 1) of being incorrect from which a rule calls a query.

        Raises InputError where the rule asks for a share of false alarms beyond what was measured
        at `fit`, or for a class balance to which the calibration cannot be moved.
        """
        return self._scorer(OutsideVotes(()), rule).threshold

    def require_conventions(self, conventions: str) -> None:
        """Raise InputError where the detector was fitted for other conventions than these."""
        wanted = Strictness.named(conventions)
        if self.conventions != wanted:
            raise InputError(
                f"the detector was fitted for {self.conventions} conventions: fit one with "
                f"--conventions {wanted}, or leave them out",
                field="conventions",
            )

    def set_alarms(self, share: float) -> Self:
        """Set the threshold to that of a share in (0, 1) of right queries that may be called.

        Raises InputError where the share is beyond what was measured at `fit`.
        """
        learned = self._fitted()
        threshold = point_at(learned.points, share).threshold
        training = {**learned.training, "alarms": share}
        self.learned_ = replace(learned, threshold=threshold, training=training)
        return self

    def with_feedback(
        self,
        judgments: Iterable[FindingJudgment | CaseJudgment],
        scored: Iterable[ScoredCase] = (),
    ) -> Self:
        """Return a detector that has learned what a team says of its findings.

        The weights of the reasons that were judged move; everything else stays. See
        `clausewise.models.feedback`.

        Parameters
        ----------
        judgments
            Findings confirmed or dismissed, and queries judged correct or incorrect.
        scored
            The scores that the judged queries had; needed for judgments of queries only.

        Raises
        ------
        InputError
            Where a judged query is not among `scored`, a reason is not weighed by this detector, or
            its classifier has no weights of reasons.
        """
        from clausewise.models.feedback import findings_judged, with_feedback

        found = findings_judged(judgments, scored)
        other = type(self)(**self.get_params(deep=False))
        other.learned_ = with_feedback(self._fitted(), found)
        return other

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
        detector = cls(signals=selector, **settings.params())
        detector.learned_ = learned
        return detector

    def specs(self) -> tuple[SignalSpec, ...]:
        """Return the signals to run on cases: the fitted ones, before `fit` the selected ones.

        Signals that were added since `fit` are run too; their findings count as their grades say.

        Raises DetectorError where a fitted signal is not installed, and RegistryError where the
        selector names nothing; warns (`DetectorWarning`) of signals of another version.
        """
        if not self.__sklearn_is_fitted__():
            return self._selected()
        if not isinstance(self.signals, str):
            return with_expectation(self._selected(), self.learned_.expectation)
        weighed = (*installed_signals(self.learned_.space.signals), *self._added())
        added = added_signals(self.signals, self.only, weighed, self.llm is not None)
        specs = with_expectation((*weighed, *added), self.learned_.expectation)
        return specs if self.only is None else restricted(specs, self.only)

    def _selected(self) -> tuple[SignalSpec, ...]:
        return selected_signals(self.signals, models=self.llm is not None)

    def _added(self) -> tuple[SignalSpec, ...]:
        return () if self.llm is None else unfitted_judges(self._fitted().space.signals)

    def _settings(self) -> Settings:
        return Settings.of(self.get_params(deep=False))


def packaged_detector(has_data: bool = True, conventions: str = Strictness.RELAXED) -> Detector:
    """Return the detector that ships, for cases with data or without, and for conventions.

    Raises DetectorError where its folder is damaged, and InputError where there are no conventions
    of that name.
    """
    return Detector.load(packaged_folder(has_data, conventions))


def load_detector(
    detector: str | Path | Detector | None,
    trust: bool = False,
    has_data: bool = True,
    conventions: str | None = None,
) -> Detector:
    """Return a detector from its folder, the packaged one for None, or the one given.

    Where `has_data` is false the packaged one is that for cases of which only the schema is known.
    `conventions` chooses among the packaged ones, and must be those of another detector.

    Raises DetectorError where the folder is missing, damaged or of another version, InputError
    where it was fitted for other conventions, and UntrustedDetectorError where it holds pickles of
    unknown origin and `trust` is false.
    """
    if detector is None:
        return packaged_detector(has_data, conventions or Strictness.RELAXED)
    loaded = detector
    if isinstance(loaded, str | Path):
        loaded = Detector.load(loaded, trust=trust)
    if conventions is not None:
        loaded.require_conventions(conventions)
    return loaded
