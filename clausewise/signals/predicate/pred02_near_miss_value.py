"""PRED02: the value of a comparison is not there, but one very like it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rapidfuzz import process
from rapidfuzz.distance import DamerauLevenshtein

from clausewise.databases import fold_value
from clausewise.databases.model import ValuePlace
from clausewise.errors import NotApplicable, QueryFailed
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.sql.model import Comparison, Literal
from clausewise.text import quote_name
from clausewise.types import Case, Clause, Cost, Finding, Group, Json, Level, Need

OTHER_SPELLING = 0.95
FEW_EDITS = 0.9
OTHER_COLUMN = 0.85
PART_OF_VALUE = 0.75
OTHER_TABLE = 0.6
BLANKS_ONLY = 0.2
"""Score where the stored value only has blanks around it: a fault of the data first of all."""
MIXED_SPELLINGS = 0.4
"""Score where the value is there, but other rows spell it differently."""
MOST_VALUES = 5_000
"""Columns with more distinct texts are not searched for similar ones."""
LETTERS_PER_EDIT = 4
"""One edit is allowed for every so many characters, at most `MOST_EDITS`."""
MOST_EDITS = 3
OPERATORS = frozenset({"=", "<>", "IN", "LIKE"})


@dataclass(frozen=True, slots=True)
class _Miss:
    """A value that was probably meant, and how it differs from the one written."""

    kind: str
    value: str
    place: str
    score: float
    level: Level = Level.WARNING


@signal(
    code="PRED02",
    name="near_miss_value",
    group=Group.DATABASE,
    family="value",
    clauses={Clause.WHERE, Clause.HAVING, Clause.JOIN, Clause.SELECT},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=1,
)
def near_miss_value(case: Case, context: Context) -> Iterator[Finding]:
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
    on the one column.

    References
    ----------
    GBV-SQL, figure 8 (dirty data); DART-SQL; SQLens, section 3.4 (error report).
    """
    looked_at = False
    for _, comparison in context.comparisons():
        column = comparison.column
        if comparison.operator not in OPERATORS or comparison.wrapped or column.in_aggregate:
            continue
        if column.table is None or column.column is None:
            continue
        if not context.database.is_indexed(column.table, column.column):
            continue
        for literal in comparison.literals:
            if not isinstance(literal.value, str) or not literal.value.strip("%_ "):
                continue
            looked_at = True
            miss = _near_miss(context, comparison, literal, literal.value)
            if miss is not None:
                yield _finding(context, comparison, literal, miss)
    if not looked_at:
        raise NotApplicable("no text column is compared with a text constant")


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
            text = others[0].value
            return _Miss("mixed_spellings", text, f"{table}.{name}", MIXED_SPELLINGS, Level.INFO)
        return None
    if context.keeps_a_row(_presence(comparison, literal)):
        return None
    if own:
        place, text = f"{table}.{name}", own[0].value
        if text.strip() == written:
            return _Miss("blanks_around", text, place, BLANKS_ONLY, Level.INFO)
        return _Miss("other_spelling", text, place, OTHER_SPELLING)
    return _similar_value(context, table, name, value) or _elsewhere(places, table)


def _elsewhere(places: tuple[ValuePlace, ...], table: str) -> _Miss | None:
    """Return the value in another column, one of the same table first."""
    if not places or places[0].value.isdigit():
        return None
    place = min(places, key=lambda place: place.table != table)
    here = place.table == table
    kind, score = ("other_column", OTHER_COLUMN) if here else ("other_table", OTHER_TABLE)
    return _Miss(kind, place.value, f"{place.table}.{place.column}", score)


def _presence(comparison: Comparison, literal: Literal) -> str:
    column = comparison.column
    operator = "LIKE" if comparison.operator == "LIKE" else "="
    return (
        f"SELECT 1 FROM {quote_name(column.table or '')} "
        f"WHERE {quote_name(column.column or '')} {operator} {literal.piece.text} LIMIT 1"
    )


def _similar_value(context: Context, table: str, column: str, value: str) -> _Miss | None:
    held = _texts(context, table, column)
    folded = fold_value(value)
    edits = min(MOST_EDITS, len(folded) // LETTERS_PER_EDIT)
    place = f"{table}.{column}"
    if edits:
        found = process.extract(
            folded,
            [fold_value(text) for text in held],
            scorer=DamerauLevenshtein.distance,
            score_cutoff=edits,
            limit=5,
        )
        for _, _, position in found:
            if _digits(held[position]) == _digits(value):
                return _Miss("few_edits", held[position], place, FEW_EDITS)
    padded = f" {folded} "
    for text in held:
        if len(folded) >= LETTERS_PER_EDIT and padded in f" {fold_value(text)} ":
            return _Miss("part_of_value", text, place, PART_OF_VALUE)
    return None


def _digits(text: str) -> str:
    return "".join(character for character in text if character.isdigit())


def _texts(context: Context, table: str, column: str) -> list[str]:
    """Return the column's texts in order, none where there are too many to search."""
    name = quote_name(column)
    sql = f"SELECT DISTINCT {name} FROM {quote_name(table)} ORDER BY 1"
    if context.database.profile(table, column).distinct > MOST_VALUES:
        return []
    try:
        rows = context.run(sql, rows=MOST_VALUES).rows
    except QueryFailed:
        return []
    return [value for (value,) in rows if isinstance(value, str)]


def _finding(context: Context, comparison: Comparison, literal: Literal, miss: _Miss) -> Finding:
    written, kind = literal.value, miss.kind
    messages = {
        "mixed_spellings": f"other rows of {miss.place} spell it '{miss.value}'",
        "blanks_around": f"{miss.place} holds it with blanks around it, '{miss.value}'",
        "other_spelling": f"{miss.place} spells it '{miss.value}'",
        "few_edits": f"{miss.place} does not hold it, but '{miss.value}'",
        "part_of_value": f"{miss.place} holds it only within '{miss.value}'",
    }
    message = messages.get(kind, f"it is not in that column, but in {miss.place}")
    evidence: dict[str, Json] = {
        "value": written,
        "kind": kind,
        "probable_value": miss.value,
        "probable_column": miss.place,
        "sql": _presence(comparison, literal),
    }
    here = kind not in ("other_column", "other_table")
    return Finding(
        clause=context.span(literal.clause, literal.piece.start, literal.piece.end),
        score=miss.score,
        message=f"'{written}': {message}",
        evidence=evidence,
        suggestion=f"write '{miss.value}'" if here else f"compare {miss.place} with '{miss.value}'",
        level=miss.level,
    )
