"""Whether a query says by a key what the evidence says by a value, or by another column."""

from __future__ import annotations

from clausewise.question.evidence import EvidenceComparison
from clausewise.signals.context import Context
from clausewise.signals.keys import key_classes
from clausewise.signals.linking.constants import QueryFacts
from clausewise.signals.linking.values import ValueMention, implies
from clausewise.sql.model import Comparison


def picked_by_key(
    comparison: EvidenceComparison, context: Context, facts: QueryFacts
) -> bool | None:
    """Whether the query picks the row by its key where the evidence names a value.

    `gender = 'Female'` and `gender_id = 2` may mean the same row. None where no key stands for
    the value, False where the key of another row does. Raises NoData where only data can tell.
    """
    keys = _key_columns(context)
    name = comparison.column.rpartition(".")[2].casefold()
    if any(key[1] == name for key in keys):
        compared = {(made.column.column or "").casefold() for _, made in context.comparisons()}
        return True if name not in compared and facts.texts else None
    keyed = [
        made
        for _, made in context.comparisons()
        if (made.column.table, (made.column.column or "").casefold()) in keys
    ]
    if not keyed:
        return None
    places = tuple(
        place
        for place in context.database.find_value(comparison.values[0])
        if place.column.casefold() == name
    )
    mention = ValueMention(comparison.values[0], 0, 0, "capitalized", places)
    tables = {place.table for place in places}
    answers = [
        implies(made, mention, context) for made in keyed if _leads_to(made, tables, context)
    ]
    return any(answers) if answers else None


def _leads_to(made: Comparison, tables: set[str], context: Context) -> bool:
    """Whether a compared key is that of one of the tables, or refers to it."""
    if made.column.table in tables:
        return True
    return any(
        key.table == made.column.table
        and key.columns == (made.column.column,)
        and key.referred_table in tables
        for key in context.schema.foreign_keys
    )


def _key_columns(context: Context) -> set[tuple[str | None, str]]:
    """Return (table, column casefolded) of all columns that hold or refer to a key."""
    schema = context.schema
    found: set[tuple[str | None, str]] = {
        (table.name, name.casefold()) for table in schema.tables for name in table.primary_key
    }
    for key in schema.foreign_keys:
        found.update((key.table, name.casefold()) for name in key.columns)
    return found


def key_in_use(name: str, context: Context, facts: QueryFacts) -> bool:
    """Whether a column of the query holds the same key as the one that the evidence names."""
    classes = key_classes(context.schema)
    column = name.rpartition(".")[2].casefold()
    named = [
        (table.name, found.name)
        for table in context.schema.tables
        for found in table.columns
        if found.name.casefold() == column
    ]
    if any(_has_siblings(one, context) for one in named):
        return False
    used = {(use.table, use.column) for use in facts.columns if use.table and use.column}
    return any(
        classes.same(one, (str(table), str(other))) for one in named for table, other in used
    )


def _has_siblings(named: tuple[str, str], context: Context) -> bool:
    """Whether other columns of the table refer to the same key: eye, hair and skin color."""
    referred = [
        key.referred_table
        for key in context.schema.foreign_keys
        if key.table == named[0] and key.columns == (named[1],)
    ]
    others = [
        key.referred_table
        for key in context.schema.foreign_keys
        if key.table == named[0] and key.columns != (named[1],)
    ]
    return bool(set(referred) & set(others))
