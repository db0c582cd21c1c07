"""Finding signals: the built-in bundles, plug-ins by entry point, and selection by name."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from functools import cache
from importlib.metadata import entry_points

from clausewise.errors import RegistryError
from clausewise.signals.base import SIGNALS, SignalSpec
from clausewise.types import Cost

ENTRY_POINT_GROUP = "clausewise.signals"
"""Packages name a module under this entry-point group; importing it registers their signals."""


@cache
def load_signals() -> None:
    """Import every built-in bundle and every plug-in, once.

    Raises RegistryError naming the plug-in where one cannot be imported: a signal that silently
    stays away would change every probability.
    """
    package = importlib.import_module("clausewise.signals")
    for bundle in sorted(pkgutil.iter_modules(package.__path__), key=lambda found: found.name):
        if not bundle.ispkg:
            continue
        module = importlib.import_module(f"clausewise.signals.{bundle.name}")
        for found in sorted(pkgutil.iter_modules(module.__path__), key=lambda item: item.name):
            importlib.import_module(f"{module.__name__}.{found.name}")
    for point in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda point: point.name):
        try:
            point.load()
        except Exception as error:
            raise RegistryError(
                f"the signal plug-in '{point.name}' ({point.value}) cannot be loaded: {error}"
            ) from error


@cache
def conventions() -> frozenset[tuple[str, str]]:
    """Return the reasons, as signal and reason, that people let pass; see `Reason`."""
    load_signals()
    return frozenset(
        (spec.name, reason.name)
        for spec in SIGNALS.values()
        for reason in spec.reasons.values()
        if reason.is_convention
    )


def select_signals(selector: str = "all", *, models: bool = False) -> tuple[SignalSpec, ...]:
    """Return the signals that a selector names, ordered by code.

    A selector is a comma-separated list of names, codes, code prefixes (`PRED`), groups
    (`database`), families, sets (`sqlens`) or `all`; a leading `-` takes away. Where the first
    term takes away, it starts from `all`. Signals that ask a language model are part of `all`
    only where `models` is true; else they must be named, as in `all,sqlens-llm`. Those that are
    `only_named` need their name, code or set in any case.

    Raises RegistryError for a term that names nothing, suggesting the nearest.
    """
    load_signals()
    terms = [term.strip() for term in selector.split(",") if term.strip()]
    if not terms:
        raise RegistryError("the signal selector is empty; `all` selects every signal")
    chosen: dict[str, SignalSpec] = {}
    if terms[0].startswith("-"):
        terms.insert(0, "all")
    for term in terms:
        matches = _matching(term.lstrip("-"), models)
        for spec in matches:
            if term.startswith("-"):
                chosen.pop(spec.name, None)
            else:
                chosen[spec.name] = spec
    if not chosen:
        raise RegistryError(f"the signal selector '{selector}' leaves no signal")
    return tuple(sorted(chosen.values(), key=lambda spec: spec.code))


def _matching(term: str, models: bool) -> list[SignalSpec]:
    specs = list(SIGNALS.values())
    if term == "all":
        usual = [spec for spec in specs if not spec.only_named]
        return [spec for spec in usual if models or spec.cost is not Cost.MODEL]
    if term in SIGNALS:
        return [SIGNALS[term]]
    found = [
        spec
        for spec in specs
        if term == spec.code
        or term in spec.sets
        or (not spec.only_named and term in (spec.group.value, spec.family, _bundle(term, spec)))
    ]
    if found:
        return found
    words = {"all"}.union(
        *({spec.name, spec.code, spec.group, spec.family, *spec.sets} for spec in specs)
    )
    near = difflib.get_close_matches(term, sorted(words), n=3, cutoff=0.6)
    hint = "; did you mean " + " or ".join(f"'{word}'" for word in near) + "?" if near else ""
    raise RegistryError(f"'{term}' names no signal, code, group, family or set{hint}")


def _bundle(term: str, spec: SignalSpec) -> str | None:
    """Return the prefix of a signal's code where the term is written as one."""
    return spec.code.rstrip("0123456789") if term.isupper() else None


def signals_named(names: list[str] | tuple[str, ...]) -> tuple[SignalSpec, ...]:
    """Return the signals of exactly these names, ordered by code.

    Raises RegistryError for an unknown one.
    """
    load_signals()
    try:
        return tuple(sorted((SIGNALS[name] for name in names), key=lambda spec: spec.code))
    except RegistryError as error:
        raise RegistryError(f"{error} (is a plug-in missing?)") from error
