"""How a detector learns: what of its parameters decides the result, and its JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from clausewise.errors import DetectorError, InputError
from clausewise.labeling import LevelsOf, VotingUnit
from clausewise.models.calibration.decision import chosen_threshold
from clausewise.models.estimator import describe_class
from clausewise.models.probability import checked_balance
from clausewise.models.registries import (
    CALIBRATIONS,
    CLASSIFIERS,
    LABEL_MODELS,
    installed_components,
)
from clausewise.registry import Registry
from clausewise.types import Strictness

COMPONENTS: Mapping[str, Registry[Any]] = {
    "label_model": LABEL_MODELS,
    "classifier": CLASSIFIERS,
    "calibration": CALIBRATIONS,
}
"""Parameters that take a name or an instance, with the registry of their names."""

_METHODS = {
    "label_model": (("fit", "predict_proba"),),
    "classifier": (("fit", "predict_proba"), ("fit", "predict", "save", "load")),
    "calibration": (("fit", "predict"),),
}
_PICKLED = "pickled"


@dataclass(frozen=True, slots=True)
class Settings:
    """The parameters of `Detector` that decide what it learns; their meaning is documented there.

    They are read from the detector by name (`Settings.of`), written to the manifest by name
    (`to_json`), and are what a loaded detector is constructed with.
    """

    label_model: Any
    classifier: Any
    calibration: Any
    class_balance: float | None
    by: VotingUnit
    start: str
    threshold: float | None
    seed: int
    time_limit: float | None
    shape_functions: bool | LevelsOf
    conventions: str

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> Self:
        """Return the settings among a detector's parameters; `costs` become the threshold.

        A label model or classifier that is not chosen becomes what is installed.

        Raises InputError where both a threshold and costs are given.
        """
        chosen = {field.name: params[field.name] for field in fields(cls)}
        chosen["threshold"] = chosen_threshold(params["threshold"], params["costs"])
        installed = dict(zip(("label_model", "classifier"), installed_components(), strict=True))
        chosen |= {name: usual for name, usual in installed.items() if chosen[name] is None}
        chosen["start"] = str(params["start"])
        chosen["conventions"] = str(params["conventions"])
        return cls(**chosen)

    def check(self) -> None:
        """Raise RegistryError or InputError for a value that cannot be."""
        for name in COMPONENTS:
            _check_component(name, getattr(self, name))
        if self.conventions not in tuple(Strictness):
            known = ", ".join(Strictness)
            raise InputError(
                f"conventions must be one of {known}, got {self.conventions!r}", field="conventions"
            )
        if self.class_balance is not None:
            checked_balance(self.class_balance)
        if self.threshold is not None and not 0.0 < self.threshold < 1.0:
            raise InputError(f"the threshold is a probability, not {self.threshold}")
        if self.time_limit is not None and self.time_limit <= 0:
            raise InputError(f"the time limit must be above 0 seconds, not {self.time_limit}")

    def to_json(self) -> dict[str, Any]:
        """Return the settings as plain JSON.

        An instance of a registered class becomes `{"name": ..., "params": ...}`; any other
        `{"pickled": CLASS}`, see `instances`.
        """
        found = self.params()
        # what sets the levels is code; the levels that it set are saved with the features
        found["shape_functions"] = bool(self.shape_functions)
        return found | {name: _component_json(name, found[name]) for name in COMPONENTS}

    @property
    def strictness(self) -> Strictness:
        """Whether what people let pass counts as an error."""
        return Strictness(self.conventions)

    def params(self) -> dict[str, Any]:
        """Return the parameters of a detector with these settings."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def instances(self) -> dict[str, Any]:
        """Return the components that only a pickle can keep, by parameter."""
        return {
            name: getattr(self, name)
            for name in COMPONENTS
            if _PICKLED in (_component_json(name, getattr(self, name)) or {})
            and not isinstance(getattr(self, name), str)
        }

    @classmethod
    def from_json(cls, saved: Mapping[str, Any], instances: Mapping[str, Any]) -> Self:
        """Return the settings that `to_json` and `instances` described."""
        found = dict(saved)
        for name, registry in COMPONENTS.items():
            if not isinstance(found[name], str):
                found[name] = _component_from_json(name, found[name], registry, instances)
        return cls(**found)


def pickled_components(saved: Mapping[str, Any]) -> list[str]:
    """Return which components of settings in JSON are pickled."""
    return [name for name in COMPONENTS if is_pickled(saved[name])]


def is_pickled(component: object) -> bool:
    """Whether the JSON of a component refers to a pickle."""
    return isinstance(component, Mapping) and _PICKLED in component


def _check_component(name: str, chosen: Any) -> None:
    what = name.replace("_", " ")
    if isinstance(chosen, str):
        _ = COMPONENTS[name][chosen]
        return
    if isinstance(chosen, type):
        raise InputError(f"the {what} must be an instance: write {chosen.__name__}()")
    if any(all(hasattr(chosen, one) for one in methods) for methods in _METHODS[name]):
        return
    needed = " and ".join(_METHODS[name][0])
    raise InputError(
        f"the {what} must be a name ({', '.join(COMPONENTS[name])}) or have {needed}; "
        f"{describe_class(chosen)} has not"
    )


def _component_json(name: str, chosen: Any) -> Any:
    if isinstance(chosen, str):
        return chosen
    known = next((key for key, kind in COMPONENTS[name].items() if kind is type(chosen)), None)
    if known is None or not hasattr(chosen, "get_params"):
        return {_PICKLED: describe_class(chosen)}
    return {"name": known, "params": chosen.get_params()}


def _component_from_json(
    name: str, saved: Any, registry: Registry[Any], instances: Mapping[str, Any]
) -> Any:
    if is_pickled(saved):
        return instances[name]
    if not isinstance(saved, Mapping):
        raise DetectorError(f"the {name} is neither a name nor an object", field=name)
    return registry[str(saved["name"])](**saved["params"])
