"""One registry for everything found by name: signals, label models, classifiers, readers."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Generic, NamedTuple, TypeVar

from clausewise.errors import RegistryError

T = TypeVar("T")


class _Home(NamedTuple):
    """Where an object is that is imported on first use."""

    module: str
    attribute: str


class Registry(Mapping[str, T], Generic[T]):
    """Name to object, in the order of registration.

    A second object under a known name is an error, never a silent overwrite; an unknown name is
    an error that suggests the nearest ones.

    >>> shapes = Registry[int]("shape")
    >>> shapes.add("square", 4)
    >>> shapes["square"]
    4
    >>> shapes["sqare"]
    Traceback (most recent call last):
    clausewise.errors.RegistryError: unknown shape 'sqare'; did you mean 'square'?
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._items: dict[str, T | _Home] = {}

    def add(self, name: str, item: T) -> None:
        """Register `item` under `name`.

        Raises RegistryError where the name is taken.
        """
        self._add(name, item)

    def add_from(self, name: str, module: str, attribute: str) -> None:
        """Register what a module has under that attribute; it is imported when it is asked for.

        Raises RegistryError where the name is taken.
        """
        self._add(name, _Home(module, attribute))

    def _add(self, name: str, item: T | _Home) -> None:
        if name in self._items:
            raise RegistryError(f"{self.kind} '{name}' is registered twice")
        self._items[name] = item

    def suggest(self, name: str) -> str:
        """Return the tail of an error message: the nearest names, or all of them where few."""
        near = difflib.get_close_matches(name, self._items, n=3, cutoff=0.6)
        if near:
            return "; did you mean " + " or ".join(f"'{known}'" for known in near) + "?"
        if len(self._items) <= 12:
            return "; known: " + ", ".join(self._items)
        return ""

    def __getitem__(self, name: str) -> T:
        try:
            item = self._items[name]
        except KeyError:
            raise RegistryError(f"unknown {self.kind} '{name}'{self.suggest(name)}") from None
        if isinstance(item, _Home):
            found: T = getattr(import_module(item.module), item.attribute)
            self._items[name] = item = found
        return item

    def __contains__(self, name: object) -> bool:
        return name in self._items

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)
