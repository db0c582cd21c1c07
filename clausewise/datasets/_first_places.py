"""Where each key of a long file stood first, with little memory however many there are."""

from __future__ import annotations

from contextlib import ExitStack, closing
from functools import cached_property
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from clausewise.databases.sqlite.numbers import NumbersOnDisk

MOST_IN_MEMORY = 50_000
"""Keys that are kept in memory; the others are kept in a temporary file."""


class FirstPlaces:
    """The first place of every key; to be used in a `with` statement."""

    def __init__(self, most_in_memory: int | None = None) -> None:
        self._most = MOST_IN_MEMORY if most_in_memory is None else most_in_memory
        self._known: dict[str, int] = {}
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def add(self, key: str, place: int) -> int:
        """Return where the key stood first: `place` where it is new."""
        if len(self._known) < self._most:
            return self._known.setdefault(key, place)
        earlier = self._known.get(key)
        return self._on_disk.add(key, place) if earlier is None else earlier

    @cached_property
    def _on_disk(self) -> NumbersOnDisk:
        from clausewise.databases.sqlite.numbers import NumbersOnDisk

        return self._stack.enter_context(closing(NumbersOnDisk()))
