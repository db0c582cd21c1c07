"""PRED02: the value of a comparison is not there, but one very like it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rapidfuzz import process
from rapidfuzz.distance import DamerauLevenshtein

from clausewise.databases import fold_value
from clausewise.databases.model import ValuePlace
from clausewise.errors import QueryFailed
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.sampled import finds_a_row, is_sampled
from clausewise.signals.probes.stored_forms import (
    code_for,
    few_values,
    held_codes,
    stored_date,
)
from clausewise.signals.units import for_each
from clausewise.sql.model import Comparison, Literal
from clausewise.text import shortened
from clausewise.types import Clause, Cost, Finding, Group, Need

MOST_VALUES = 5_000
"""Columns with more distinct texts are not searched for similar ones."""
LETTERS_PER_EDIT = 4
"""One edit is allowed for every so many characters, at most `MOST_EDITS`."""
MOST_EDITS = 3
LONGEST_SHOWN = 30
"""Characters of a value that is listed in a message."""
OPERATORS = frozenset({"=", "<>", "IN", "LIKE"})


@dataclass(frozen=True, slots=True)
class _Miss:
    """A value that was probably meant, and how it differs from the one written."""

    reason: str
    value: str
    place: str

    @property
    def message(self) -> str:
        """Where the value is."""
        messages = {
            "mixed_spellings": f"other rows of {self.place} spell it '{self.value}'",
            "stored_blanks": f"{self.place} holds it with blanks around it, '{self.value}'",
            "other_spelling": f"{self.place} spells it '{self.value}'",
            "few_edits": f"{self.place} does not hold it, but '{self.value}'",
            "code": f"{self.place} holds codes, probably '{self.value}' for it",
            "date_form": f"{self.place} writes dates as in '{self.value}'",
            "part_of_value": f"{self.place} holds it only within '{self.value}'",
        }
        return messages.get(self.reason, f"it is not in that column, but in {self.place}")


def _units(context: Context) -> Iterator[tuple[Comparison, Literal]]:
    """Yield each text constant with which an indexed column is compared."""
    for _, comparison in context.comparisons():
        column = comparison.column
        if comparison.operator not in OPERATORS or comparison.wrapped or column.in_aggregate:
            continue
        if column.table is None or column.column is None:
            continue
        if not context.database.is_indexed(column.table, column.column) and not is_sampled(
            context, column.table, column.column
        ):
            continue
        for literal in comparison.literals:
            if isinstance(literal.value, str) and literal.value.strip("%_ "):
                yield comparison, literal


@signal(
    code="PRED02",
    name="near_miss_value",
    group=Group.DATABASE,
    family="value",
    clauses={
        Clause.WHERE,
        Clause.HAVING,
        Clause.JOIN,
        Clause.SELECT,
        Clause.GROUP_BY,
        Clause.ORDER_BY,
    },
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=2,
    reasons={
        "mixed_spellings": "The value is there, but other rows spell it differently.",
        "stored_blanks": "The stored value has blanks around it: a fault of the data first of all.",
        "other_spelling": "The column holds it in other letters or white space.",
        "few_edits": "The column holds a value that differs by a few letters.",
        "code": ("The column holds a code that may stand for it, or the reverse.", "decisive"),
        "date_form": ("The column writes its dates in another form.", "decisive"),
        "part_of_value": "The column holds it as a part of a longer value.",
        "other_column": "Another column of the table holds it.",
        "other_table": "A column of another table holds it.",
    },
)
@for_each(_units, otherwise="no text column is compared with a text constant")
def near_miss_value(unit: tuple[Comparison, Literal], context: Context) -> Iterator[Finding]:
    """A text value is not in its column, but one very like it, or another column, has it.

    What it measures
    ----------------
    For each text constant that its column does not hold: the same text in other letters or white
    space, within a few edits (digits must be the same), as a part of a longer value, in another
    column of the table, or in another table. For one that is there: other rows that spell it
    differently.

    Why it points to an error
    -------------------------
    The value that was meant exists; the query just does not reach it.

    Fires on
    --------
    SELECT people FROM district WHERE name = 'jesenik'  -- the column holds 'Jesenik'

    Stays silent on
    ---------------
    SELECT people FROM district WHERE name = 'Jesenik'

    Does not apply when
    -------------------
    The query compares no text column of a table with a text constant.

    How to repair
    -------------
    Write the value as the finding spells it, or compare the column that holds it.

    Cost
    ----
    One look-up in the value index for each constant; only for those that are missing, statements
    on the one column. Of a table that is so large that only a sample was read, a value that is not
    in the sample is looked up by an index of the database; without one, nothing is said of it.

    References
    ----------
    GBV-SQL, figure 8 (dirty data); DART-SQL; SQLens, section 3.4 (error report).
    """
    comparison, literal = unit
    miss = _near_miss(context, comparison, literal, str(literal.value))
    if miss is None:
        return
    here = miss.reason not in ("other_column", "other_table")
    held = few_values(context, comparison.column)
    yield Finding(
        clause=context.span(literal.clause, literal.piece.start, literal.piece.end),
        reason=miss.reason,
        message=f"'{literal.value}': {miss.message}{_listed(held)}",
        evidence={
            "held": list(held),
            "value": literal.value,
            "probable_value": miss.value,
            "probable_column": miss.place,
            "sql": _presence(context, comparison, literal),
        },
        suggestion=_suggestion(miss, here),
    )


def _suggestion(miss: _Miss, here: bool) -> str:
    if miss.reason == "date_form":
        return f"write the date as in '{miss.value}'"
    return f"write '{miss.value}'" if here else f"compare {miss.place} with '{miss.value}'"


def _listed(held: tuple[str, ...]) -> str:
    """Return all values of a column that holds few, to be said after a message."""
    if not held:
        return ""
    return "; the column holds " + ", ".join(
        f"'{shortened(value, LONGEST_SHOWN)}'" for value in held
    )


def _near_miss(
    context: Context, comparison: Comparison, literal: Literal, written: str
) -> _Miss | None:
    column = comparison.column
    table, name = column.table or "", column.column or ""
    value = written.strip("%") if comparison.operator == "LIKE" else written
    places = context.database.find_value(value)
    own = [place for place in places if (place.table, place.column) == (table, name)]
    if any(place.value == written for place in own):
        others = [place for place in own if place.value != written]
        if others and comparison.operator != "LIKE":
            return _Miss("mixed_spellings", others[0].value, f"{table}.{name}")
        return None
    if _is_there(context, comparison, literal):
        return None
    if own:
        place, text = f"{table}.{name}", own[0].value
        if text.strip() == written:
            return _Miss("stored_blanks", text, place)
        return _Miss("other_spelling", text, place)
    return (
        _other_form(context, comparison, value)
        or _similar_value(context, table, name, value)
        or _elsewhere(places, table)
    )


def _is_there(context: Context, comparison: Comparison, literal: Literal) -> bool:
    """Whether the column holds the constant; raises NotProfiled where that is not known."""
    table, name = comparison.column.table or "", comparison.column.column or ""
    presence = _presence(context, comparison, literal)
    if is_sampled(context, table, name):
        return finds_a_row(context, table, name, presence)
    return context.keeps_a_row(presence)


def _other_form(context: Context, comparison: Comparison, value: str) -> _Miss | None:
    """Return what the column holds for a word or a date that it writes otherwise."""
    column = comparison.column
    place = f"{column.table}.{column.column}"
    form = stored_date(context, column, value)
    if form is not None:
        return _Miss("date_form", form, place)
    code = code_for(value, held_codes(context, column))
    return None if code is None else _Miss("code", code, place)


def _elsewhere(places: tuple[ValuePlace, ...], table: str) -> _Miss | None:
    """Return the value in another column, one of the same table first."""
    if not places or places[0].value.isdigit():
        return None
    place = min(places, key=lambda place: place.table != table)
    reason = "other_column" if place.table == table else "other_table"
    return _Miss(reason, place.value, f"{place.table}.{place.column}")


def _presence(context: Context, comparison: Comparison, literal: Literal) -> str:
    column, quoted = comparison.column, context.words.quote_name
    operator = "LIKE" if comparison.operator == "LIKE" else "="
    return (
        f"SELECT 1 FROM {quoted(column.table or '')} "
        f"WHERE {quoted(column.column or '')} {operator} {literal.piece.text} LIMIT 1"
    )


def _similar_value(context: Context, table: str, column: str, value: str) -> _Miss | None:
    held, folded_held = context.once(_HeldTexts).of(table, column)
    folded = fold_value(value)
    edits = min(MOST_EDITS, len(folded) // LETTERS_PER_EDIT)
    place = f"{table}.{column}"
    if edits:
        found = process.extract(
            folded,
            folded_held,
            scorer=DamerauLevenshtein.distance,
            score_cutoff=edits,
            limit=5,
        )
        for _, _, position in found:
            if _digits(held[position]) == _digits(value):
                return _Miss("few_edits", held[position], place)
    if len(folded) >= LETTERS_PER_EDIT:
        padded = f" {folded} "
        for text, folded_text in zip(held, folded_held, strict=True):
            if padded in f" {folded_text} ":
                return _Miss("part_of_value", text, place)
    return None


def _digits(text: str) -> str:
    return "".join(character for character in text if character.isdigit())


class _HeldTexts:
    """The texts of the columns of a case's query, each column read once."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._read: dict[tuple[str, str], tuple[list[str], list[str]]] = {}

    def of(self, table: str, column: str) -> tuple[list[str], list[str]]:
        """Return a column's texts in order and the same folded; none where they are too many."""
        key = table, column
        if key not in self._read:
            texts = self._texts(table, column)
            self._read[key] = texts, [fold_value(text) for text in texts]
        return self._read[key]

    def _texts(self, table: str, column: str) -> list[str]:
        quoted = self._context.words.quote_name
        sql = f"SELECT DISTINCT {quoted(column)} FROM {quoted(table)} ORDER BY 1"
        profile = self._context.database.profile(table, column)
        if profile.sampled:
            return sorted(value for value, _ in profile.frequent if isinstance(value, str))
        if profile.distinct > MOST_VALUES:
            return []
        try:
            rows = self._context.run(sql, rows=MOST_VALUES).rows
        except QueryFailed:
            return []
        return sorted(value for (value,) in rows if isinstance(value, str))
