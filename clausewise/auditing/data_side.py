"""Faults of the data that matter to one query: a category C of an annotation.

A fault counts for a case only where its query uses the column in a way that the fault changes: a
comparison with a value that is stored with blanks, a grouping that tells two spellings of one thing
apart, an order over numbers that are stored as text, a join over keys that refer to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import TYPE_CHECKING, TypeVar

from clausewise.auditing.column_faults import ColumnFaults, folded, read_faults
from clausewise.auditing.key_faults import declared_key, kept_apart, orphans_of, repeated_key
from clausewise.auditing.ranking import lift
from clausewise.auditing.suspects import Suspect
from clausewise.auditing.touching import Touch, Touched, joined_columns, touched_columns
from clausewise.auditing.typology import CATEGORIES
from clausewise.errors import ClausewiseError
from clausewise.sql.model import JoinPair
from clausewise.text import shortened
from clausewise.types import ClauseSpan, Json

if TYPE_CHECKING:
    from clausewise.databases import DatabaseProtocol
    from clausewise.databases.model import ForeignKey
    from clausewise.sql.model import Query

T = TypeVar("T")

_FOUND_OTHERWISE, _SOME_MISSED = 0.9, 0.5
"""Strength of a comparison that finds nothing, or not all rows, for blanks or other spellings."""
_TOLD_APART = 0.4
"""Of a grouping, DISTINCT or join over values that only blanks or case tell apart."""
_ORDERED_AS_TEXT = 0.6
_MISSING_AS_TEXT = 0.5
_DATES_COMPARED = 0.6
_ORPHANS = 0.1
_REPEATED_KEY = 0.3
_SHOWN = 40


class DatabaseFaults:
    """The faults of one database; each column and key is read when a query first touches it."""

    def __init__(self, database: DatabaseProtocol) -> None:
        self.database = database
        self._known: dict[Hashable, object] = {}

    def suspects(self, query: Query, unchecked: dict[str, str]) -> Iterator[Suspect]:
        """Yield what is wrong with the data that matters to a query.

        What could not be read, or only in part, goes to `unchecked`, by its name to the reason.
        """
        for touch in touched_columns(query):
            faults = self._column(touch, unchecked)
            if faults is not None:
                for check in _CHECKS:
                    yield from check(touch, faults)
        for pair in joined_columns(query):
            yield from self._joined(pair, unchecked)

    def _column(self, touch: Touch, unchecked: dict[str, str]) -> ColumnFaults | None:
        table, column = touch.table, touch.column
        name = f"values of {table}.{column}"
        found = self._once(
            ("column", table, column),
            lambda: read_faults(self.database, table, column),
            name,
            unchecked,
        )
        if found is not None and found.limits:
            unchecked[name] = found.limits
        return found

    def _joined(self, pair: JoinPair, unchecked: dict[str, str]) -> Iterator[Suspect]:
        left, right = _place(pair, left=True), _place(pair, left=False)
        name = f"keys {'.'.join(left)} and {'.'.join(right)}"
        apart = self._once(
            ("apart", left, right), lambda: kept_apart(self.database, left, right), name, unchecked
        )
        if apart is not None:
            how = "the blanks around it" if apart.by_blanks else "its spelling"
            yield Suspect(
                category=CATEGORIES["stray_blanks" if apart.by_blanks else "mixed_spelling"],
                lift=lift(_TOLD_APART),
                message=f"{_shown(apart.left)} of {'.'.join(left)} finds no partner for {how}: "
                f"{'.'.join(right)} holds {_shown(apart.right)}",
                clause=pair.clause,
                evidence={"left": apart.left, "right": apart.right, "sql": apart.sql},
                source="data.join",
            )
        key = declared_key(self.database.schema, left, right)
        if key is not None:
            yield from self._key(key, pair.clause, unchecked)

    def _key(
        self, key: ForeignKey, clause: ClauseSpan, unchecked: dict[str, str]
    ) -> Iterator[Suspect]:
        own, referred = (
            f"{key.table}.{key.columns[0]}",
            (f"{key.referred_table}.{key.referred_columns[0]}"),
        )
        name = f"key {own}"
        orphans = self._once(
            ("orphans", own, referred), lambda: orphans_of(self.database, key), name, unchecked
        )
        if orphans is not None:
            if orphans.limits:
                unchecked[name] = orphans.limits
            listed = ", ".join(_shown(value) for value in orphans.examples)
            yield Suspect(
                category=CATEGORIES["orphaned_keys"],
                lift=lift(_ORPHANS),
                message=f"{orphans.rows} rows of {own} refer to no row of {referred} ({listed}): "
                "the join drops them",
                clause=clause,
                evidence={"rows": orphans.rows, "values": listed, "sql": orphans.sql},
                source="data.orphans",
            )
        repeated = self._once(
            ("repeated", referred), lambda: repeated_key(self.database, key), name, unchecked
        )
        if repeated is not None:
            value, count = repeated
            yield Suspect(
                category=CATEGORIES["duplicate_keys"],
                lift=lift(_REPEATED_KEY),
                message=f"{count} rows of {key.referred_table} have the key {_shown(value)}: "
                f"the join repeats what {own} refers to",
                clause=clause,
                evidence={"column": referred, "value": _plain(value), "rows": count},
                source="data.duplicate_keys",
            )

    def _once(
        self, key: Hashable, make: Callable[[], T], name: str, unchecked: dict[str, str]
    ) -> T | None:
        """Return what was made for a key, made when first asked for; None where it failed."""
        if key not in self._known:
            try:
                self._known[key] = make()
            except ClausewiseError as error:
                self._known[key] = error
        found = self._known[key]
        if isinstance(found, ClausewiseError):
            unchecked[name] = str(found) or type(found).__name__
            return None
        return found  # type: ignore[return-value]


def _compared(touch: Touch, faults: ColumnFaults) -> Iterator[Suspect]:
    """Yield comparisons with a value that is stored with blanks, or in other spellings too."""
    if touch.how is not Touched.EQUALS:
        return
    for text in touch.texts:
        held = faults.spellings.get(folded(text), ()) or faults.padded.get(folded(text), ())
        # LIKE does not tell letters' case apart.
        others = [
            value
            for value in held
            if value != text and not (touch.ignores_case and value.casefold() == text.casefold())
        ]
        if not others:
            continue
        padded = [value for value in others if _but_for_blanks(value, text, touch.ignores_case)]
        finds = text in held or (touch.ignores_case and len(others) < len(held))
        if not finds and not padded:
            continue  # another spelling than any that is stored: the query's fault, not the data's
        name = "stray_blanks" if padded else "mixed_spelling"
        yield Suspect(
            category=CATEGORIES[name],
            lift=lift(_SOME_MISSED if finds else _FOUND_OTHERWISE),
            message=f"{faults.name} holds {_shown(others[0])}, which the comparison with "
            f"{_shown(text)} does not find",
            clause=touch.clause,
            evidence={"value": text, "stored": [repr(value) for value in others[:5]]},
            source="data.compared",
            suggestion="trim the stored values" if padded else "store one spelling",
        )


def _but_for_blanks(stored: str, text: str, ignores_case: bool) -> bool:
    """Whether only blanks around the stored value keep it from being the text."""
    one, other = stored.strip(), text.strip()
    same = one.casefold() == other.casefold() if ignores_case else one == other
    return same and one != stored


def _grouped(touch: Touch, faults: ColumnFaults) -> Iterator[Suspect]:
    """Yield groupings, DISTINCT and counts of values that only blanks or case tell apart."""
    if touch.how is not Touched.GROUPED or not faults.spellings:
        return
    key = next(iter(faults.spellings))
    held = faults.spellings[key]
    padded = len({value.strip() for value in held}) == 1
    yield Suspect(
        category=CATEGORIES["stray_blanks" if padded else "mixed_spelling"],
        lift=lift(_TOLD_APART),
        message=f"{faults.name} holds {' and '.join(map(_shown, held[:2]))}, which are told apart",
        clause=touch.clause,
        evidence={"spellings": [repr(value) for value in held[:5]], "of": len(faults.spellings)},
        source="data.grouped",
        suggestion="store one spelling",
    )


def _ordered(touch: Touch, faults: ColumnFaults) -> Iterator[Suspect]:
    """Yield orders and comparisons by size of numbers that are stored as text."""
    if touch.how is not Touched.ORDERED or faults.numbers_as_text is None:
        return
    before, after = faults.numbers_as_text
    yield Suspect(
        category=CATEGORIES["numbers_as_text"],
        lift=lift(_ORDERED_AS_TEXT),
        message=f"{faults.name} holds numbers as text: {_shown(before)} comes after "
        f"{_shown(after)}",
        clause=touch.clause,
        evidence={"smaller": before, "larger": after},
        source="data.ordered",
        suggestion="store numbers, or cast the column",
    )


def _missing(touch: Touch, faults: ColumnFaults) -> Iterator[Suspect]:
    """Yield tests for missing values, and counts of present ones, that take text for a value."""
    if touch.how is not Touched.PRESENT or not faults.missing:
        return
    rows = sum(faults.missing.values())
    listed = " and ".join(_shown(text) for text in sorted(faults.missing)[:3])
    yield Suspect(
        category=CATEGORIES["empty_for_null"],
        lift=lift(_MISSING_AS_TEXT),
        message=f"{rows} rows of {faults.name} hold {listed} where a value is missing",
        clause=touch.clause,
        evidence={"rows": rows, "texts": sorted(faults.missing)},
        source="data.missing",
        suggestion="store NULL",
    )


def _dated(touch: Touch, faults: ColumnFaults) -> Iterator[Suspect]:
    """Yield comparisons and orders of dates that are stored in several formats."""
    if touch.how not in (Touched.EQUALS, Touched.ORDERED, Touched.COMPUTED):
        return
    if not faults.date_forms:
        return
    listed = " and ".join(_shown(value) for value in list(faults.date_forms.values())[:3])
    yield Suspect(
        category=CATEGORIES["mixed_dates"],
        lift=lift(_DATES_COMPARED),
        message=f"{faults.name} writes dates in several formats: {listed}",
        clause=touch.clause,
        evidence={"formats": dict(faults.date_forms)},
        source="data.dates",
        suggestion="store dates in one format",
    )


_CHECKS: tuple[Callable[[Touch, ColumnFaults], Iterator[Suspect]], ...] = (
    _compared,
    _grouped,
    _ordered,
    _missing,
    _dated,
)


def _place(pair: JoinPair, *, left: bool) -> tuple[str, str]:
    use = pair.left if left else pair.right
    return use.table or "", use.column or ""


def _plain(value: object) -> Json:
    return value if isinstance(value, str | int | float) else str(value)


def _shown(value: object) -> str:
    return repr(shortened(value, _SHOWN)) if isinstance(value, str) else str(value)
