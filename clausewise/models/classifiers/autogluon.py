"""AutoGluon as the classifier, with its files and its side effects kept in one place."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from clausewise.errors import DetectorError, InputError, MissingExtraError
from clausewise.models.classifiers.base import twofold
from clausewise.models.classifiers.working import working_folder
from clausewise.models.estimator import Parameters, not_fitted
from clausewise.models.label_models.votes import LabelModel
from clausewise.models.randomness import undisturbed_randomness
from clausewise.models.table import FeatureTable

if TYPE_CHECKING:
    import pandas as pd

MINIMUM_CASES = 40
"""Fewer cases leave nothing to tune on."""

_TUNING_SHARE = 0.2
_LEAST_TUNING, _MOST_TUNING = 0.05, 0.5
_TUNING_COPIES = 10
_ROUNDS = 300
_MODELS: dict[str, Any] = {
    "GBM": [
        {"num_boost_round": _ROUNDS},
        {
            "num_boost_round": _ROUNDS,
            "num_leaves": 7,
            "min_data_in_leaf": 40,
            "ag_args": {"name_suffix": "Small"},
        },
    ],
    "LR": [{"C": 0.01}],
}
"""LightGBM as it is and kept small, and a linear model with a strong penalty; AutoGluon weighs the
three. The rounds are bounded because the loss of probabilistic labels hardly rises again: left
alone, thousands of trees make scoring ten times slower for nothing."""
_RISING = ("vote.", "score.", "fired.", "findings.", "expected.", "start.")
"""Columns of evidence: more of it never lowers what LightGBM says (monotone constraints)."""


class AutoGluonClassifier(Parameters):
    """AutoGluon's tabular predictor over light models.

    Every case is used twice, as incorrect with weight p and as correct with weight 1 - p, because
    AutoGluon refuses probabilities as labels. Some groups are set aside for tuning before that,
    so that no case is on both sides. It runs on one core and in sequence, and its result depends
    on the seed alone unless a time limit is reached.

    Its files are pickles: see `clausewise.models.storage.signature`.
    """

    holds_pickles: ClassVar[bool] = True
    learns: ClassVar[bool] = True
    sums_votes: ClassVar[bool] = True
    by_row: ClassVar[bool] = False
    requires: ClassVar[str] = "autogluon"

    predictor_: Any

    def fit(
        self,
        table: FeatureTable,
        incorrect: NDArray[np.float64],
        groups: NDArray[np.int64],
        *,
        seed: int = 0,
        time_limit: float | None = None,
    ) -> Self:
        """Learn from `n` cases; the parameters are those of `Classifier.fit`.

        Raises
        ------
        MissingExtraError
            Where AutoGluon is not installed.
        InputError
            Where there are too few cases, or no split leaves both classes on both sides.
        """
        if len(incorrect) < MINIMUM_CASES:
            raise InputError(
                f"AutoGluon needs at least {MINIMUM_CASES} cases and has {len(incorrect)}; "
                "choose the classifier 'logistic'"
            )
        table = table.coarse()
        tuning = _tuning_cases(incorrect, groups, seed)
        folder = working_folder(self)
        with _quiet():
            self.predictor_ = _predictor_class()(
                label="incorrect",
                problem_type="binary",
                eval_metric="log_loss",
                path=str(folder / "predictor"),
                sample_weight="weight",
                verbosity=0,
                log_to_file=False,
            ).fit(
                train_data=_training_frame(table.rows(~tuning), incorrect[~tuning]),
                tuning_data=_tuning_frame(table.rows(tuning), incorrect[tuning]),
                hyperparameters=_seeded(seed, _constraints(table.names)),
                feature_generator=_as_they_are(),
                calibrate=True,
                time_limit=time_limit,
                num_cpus=1,
                num_gpus=0,
                fit_strategy="sequential",
            )
        return self

    def predict(self, table: FeatureTable) -> NDArray[np.float64]:
        """Return `[n]` probabilities in [0, 1] of being incorrect."""
        if not hasattr(self, "predictor_"):
            raise not_fitted("the classifier is used before fit")
        if not len(table.values):
            return np.zeros(0)
        with _quiet():
            predicted = self.predictor_.predict_proba(
                _frame(table.coarse().values), as_multiclass=False
            )
        return np.asarray(predicted, dtype=np.float64)

    def save(self, folder: Path) -> None:
        """Write what predicting needs, in AutoGluon's own format."""
        if not hasattr(self, "predictor_"):
            raise not_fitted("the classifier is saved before fit")
        with _quiet():
            self.predictor_.clone_for_deployment(path=str(folder / "autogluon"))

    @classmethod
    def load(cls, folder: Path, label_model: LabelModel) -> Self:
        """Read what `save` wrote. This unpickles: the caller has made sure of the files.

        Raises DetectorError where another version of AutoGluon wrote them.
        """
        del label_model
        classifier = cls()
        with _quiet():
            try:
                classifier.predictor_ = _predictor_class().load(
                    str(folder / "autogluon"), verbosity=0
                )
            except AssertionError as error:
                raise DetectorError(
                    f"AutoGluon cannot load its models: {error}", path=folder
                ) from error
        return classifier


def _tuning_cases(
    incorrect: NDArray[np.float64], groups: NDArray[np.int64], seed: int
) -> NDArray[np.bool_]:
    """Return `[n]` which cases to tune on: whole groups, about a fifth of the cases.

    Where the groups are too few or too large for that, single cases are drawn.
    """
    for units in (groups, np.arange(len(incorrect))):
        numbers, sizes = np.unique(units, return_counts=True)
        order = np.random.default_rng(seed).permutation(len(numbers))
        shares = np.cumsum(sizes[order]) / len(incorrect)
        count = int(np.argmin(np.abs(shares - _TUNING_SHARE))) + 1
        tuning = np.isin(units, numbers[order[:count]])
        fits = _LEAST_TUNING <= tuning.mean() <= _MOST_TUNING
        if fits and _both_classes(incorrect[tuning]) and _both_classes(incorrect[~tuning]):
            return tuning
    raise InputError("the cases cannot be split so that both parts hold both classes")


def _both_classes(incorrect: NDArray[np.float64]) -> bool:
    return bool(incorrect.max() > 0.0 and incorrect.min() < 1.0)


def _training_frame(table: FeatureTable, incorrect: NDArray[np.float64]) -> pd.DataFrame:
    features, classes, weights = twofold(table.values, incorrect)
    return _frame(features).assign(incorrect=classes, weight=weights)


def _tuning_frame(table: FeatureTable, incorrect: NDArray[np.float64]) -> pd.DataFrame:
    """Return each case in as many copies of either class as its probability asks for.

    AutoGluon's temperature scaling ignores weights in the tuning data (and fails where it has to
    evaluate with them), so here they are turned into copies.
    """
    n_incorrect = np.rint(incorrect * _TUNING_COPIES).astype(np.int64)
    copies = np.concatenate([n_incorrect, _TUNING_COPIES - n_incorrect])
    classes = np.repeat([1, 0], len(incorrect))
    values = np.repeat(np.vstack([table.values, table.values]), copies, axis=0)
    return _frame(values).assign(incorrect=np.repeat(classes, copies), weight=1.0)


def _frame(values: NDArray[np.float64]) -> pd.DataFrame:
    """Return features under plain names: LightGBM refuses some characters of the real ones."""
    import pandas as pd

    return pd.DataFrame(values, columns=[f"f{number}" for number in range(values.shape[1])])


def _constraints(names: tuple[str, ...]) -> list[int]:
    """Return `[d]` 1 for columns with which the probability may only rise, else 0."""
    return [int(name.startswith(_RISING)) for name in names]


def _as_they_are() -> Any:
    """Return what hands all features on: constraints go by a column's place."""
    from autogluon.features.generators import IdentityFeatureGenerator

    return IdentityFeatureGenerator()


def _seeded(seed: int, constraints: list[int]) -> dict[str, Any]:
    """Return the models to train, every one with the seed, LightGBM with the constraints."""
    own_names: dict[str, dict[str, Any]] = {
        "GBM": {
            "seed": seed,
            "deterministic": True,
            "monotone_constraints": constraints,
            "ag.drop_unique": False,
        },
        "LR": {"random_state": seed},
    }
    return {
        family: [{**options, **own_names[family]} for options in variants]
        for family, variants in _MODELS.items()
    }


def _predictor_class() -> Any:
    try:
        from autogluon.tabular import TabularPredictor
    except ImportError as error:
        raise MissingExtraError("AutoGluon", "learn") from error
    return TabularPredictor


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep AutoGluon's log lines, warnings and random seeds to itself."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with undisturbed_randomness():
            yield
    finally:
        logging.disable(before)
