"""What names say of keys: whether a column's name points at a column of another table."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from clausewise.inflection import singular

_BARE_KEYS = frozenset(
    {"id", "code", "key", "no", "nr", "num", "number", "name", "uuid", "guid", "ref"}
)
_KEY_ENDING = re.compile(r"(id|code|key|uuid|guid|[^a-z](no|nr|num|number|ref))$")
_SHORTEST_STEM = 3
_SHORTEST_PART = 4


def name_evidence(source: str, table: str, target: str, target_is_key: bool) -> int | None:
    """Say how strongly a column's name points at another column, 0 strongest; None = not at all.

    0: both have the same key-like name (`race_id`); 1: table and column name (`student_id` for
    `students.id`); 2: the same with words before it (`eye_color_id` for `color.id`); 3: the
    referred name with words before it (`home_team_id` for `team_id`); and for primary keys only,
    4: their own name or that of the table (`airline` for `airlines.code`); 5: the end of the
    table's name and the column's (`hero_id` for `superhero.id`). Numbers at the end of the
    referring name do not count (`club_id_2`).
    """
    source_name, target_name = referring_name(source), squash(target)
    bare, key_like = _is_bare(target), _is_key_like(target)
    stems = table_stems(table)
    part = source_name.removesuffix(target_name)
    rules = (
        source_name == target_name and key_like,
        any(source_name == stem + target_name for stem in stems),
        any(source_name.endswith(stem + target_name) for stem in stems),
        key_like and source_name.endswith(target_name),
        target_is_key and (source_name in stems or (source_name == target_name and not bare)),
        target_is_key
        and part != source_name
        and len(part) >= _SHORTEST_PART
        and any(stem.endswith(part) for stem in stems),
    )
    return rules.index(True) if True in rules else None


def names_suggest_key(source: str, table: str, target: str, *, target_is_key: bool) -> bool:
    """Whether a column's name points at `table.target` as a reference to it would.

    `target_is_key` says whether `target` is the table's primary key.
    """
    return name_evidence(source, table, target, target_is_key) is not None


class TargetNames:
    """Columns that may be referred to, found by the names that point at them.

    Gives what `name_evidence` gives for every pair, without looking at every pair. `targets` are
    (table, column, is primary key); they are named by their position.
    """

    def __init__(self, targets: Sequence[tuple[str, str, bool]]) -> None:
        self._key_like: defaultdict[str, list[int]] = defaultdict(list)
        self._with_stem: defaultdict[str, list[int]] = defaultdict(list)
        self._keys: defaultdict[str, list[int]] = defaultdict(list)
        self._keys_by_part: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for position, (table, column, is_key) in enumerate(targets):
            name, stems = squash(column), table_stems(table)
            if _is_key_like(column):
                self._key_like[name].append(position)
            for stem in stems:
                self._with_stem[stem + name].append(position)
            if is_key:
                for key in (*stems, *(() if _is_bare(column) else (name,))):
                    self._keys[key].append(position)
                for part in {part for stem in stems for part in _endings(stem)}:
                    if len(part) >= _SHORTEST_PART and name:
                        self._keys_by_part[part, name].append(position)

    def find(self, name: str) -> dict[int, int]:
        """Return position to evidence of all targets that a `referring_name` points at."""
        found: dict[int, int] = {}
        for evidence, positions in self._hits(name):
            for position in positions:
                found[position] = min(evidence, found.get(position, evidence))
        return found

    def _hits(self, name: str) -> Iterator[tuple[int, Iterable[int]]]:
        yield 0, self._key_like.get(name, ())
        yield 1, self._with_stem.get(name, ())
        for ending in _endings(name):
            yield 2, self._with_stem.get(ending, ())
            yield 3, self._key_like.get(ending, ())
        yield 4, self._keys.get(name, ())
        for length in range(_SHORTEST_PART, len(name)):
            yield 5, self._keys_by_part.get((name[:length], name[length:]), ())


def referring_name(column: str) -> str:
    """Return what counts of a referring column's name: no numbers at its end (`club_id_2`)."""
    return squash(column).rstrip("0123456789")


def squash(name: str) -> str:
    """Return a name without case, blanks and punctuation."""
    return re.sub(r"[\W_]+", "", name.casefold())


def table_stems(table: str) -> tuple[str, ...]:
    """Return what a table's name may be in a column's name: the name itself, its singular."""
    names = dict.fromkeys((squash(table), squash(singular(table.casefold()))))
    return tuple(name for name in names if len(name) >= _SHORTEST_STEM)


def _is_bare(column: str) -> bool:
    return squash(column) in _BARE_KEYS


def _is_key_like(column: str) -> bool:
    return not _is_bare(column) and bool(_KEY_ENDING.search(column.casefold()))


def _endings(text: str) -> Iterator[str]:
    return (text[start:] for start in range(len(text)))
