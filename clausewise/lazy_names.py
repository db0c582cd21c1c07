"""Names of a package that are loaded on first use, so that its import stays cheap."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, homes: Mapping[str, str], *others: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return a package's `__getattr__` and `__dir__` (PEP 562).

    `homes` maps each public name to the module that it is imported from; `others` are public names
    that the package has from the start.
    """

    def load(name: str) -> Any:
        home = homes.get(name)
        if home is None:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        return getattr(import_module(home), name)

    def names() -> list[str]:
        return sorted((*homes, *others))

    return load, names
