"""Proofs that two queries always give the same result.

A proof holds for every content that obeys the declared types, NOT NULL, primary, unique and
foreign keys. Where a query leaves its result open (ties under LIMIT, an arbitrary row of a group)
it says that both may give the same results. Keys found in the data are never used.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from clausewise.databases import Schema, Table
from clausewise.databases.affinity import affinity
from clausewise.databases.model import kept_by_schema
from clausewise.equivalence.conditions import keep_the_same_rows
from clausewise.equivalence.model import Conventions, OrderRule
from clausewise.errors import ParseError
from clausewise.sql.canonical import (
    CanonicalQuery,
    ColumnFacts,
    KeyFacts,
    OpenForm,
    TableFacts,
    Untranslatable,
    canonical,
    opened,
)


@dataclass(frozen=True, slots=True)
class Proof:
    """Why two queries always give the same result.

    `steps` are sentences for a person. `foreign_keys` are the declared ones, as table and columns,
    that the proof rests on: SQLite does not enforce these unless it is asked to, so a database may
    break them. They are used only where there is no proof without them.
    """

    steps: tuple[str, ...]
    foreign_keys: tuple[tuple[str, tuple[str, ...]], ...] = ()


def prove(
    sql_a: str,
    sql_b: str,
    schema: Schema,
    dialect: str = "sqlite",
    conventions: Conventions | None = None,
    *,
    solver: bool = True,
) -> Proof | None:
    """Return a proof that two queries always give the same result; None where none is found.

    Parameters
    ----------
    sql_a, sql_b : str
        Two queries.
    schema : Schema
        Only what is declared in it is used. In SQLite a primary key other than INTEGER PRIMARY KEY
        may hold NULL, unless it is NOT NULL.
    dialect : str
        Only `sqlite` is modelled; there is no proof for others.
    conventions : Conventions, optional
        What counts as a difference; by default SQL's own semantics.
    solver : bool
        Whether the solver z3 is asked where two queries differ in conditions alone; without it
        (the extra `clausewise[equivalence]`) such proofs are left out.
    """
    if dialect.lower() != "sqlite":
        return None
    rules = conventions or Conventions()
    found = _proved(sql_a, sql_b, schema, rules, solver, foreign_keys=False)
    if found is None and any(not key.inferred for key in schema.foreign_keys):
        found = _proved(sql_a, sql_b, schema, rules, solver, foreign_keys=True)
    return found


def _proved(
    sql_a: str, sql_b: str, schema: Schema, rules: Conventions, solver: bool, foreign_keys: bool
) -> Proof | None:
    columns, duplicates = not rules.any_column_order, rules.duplicates
    begin = rules.order is not OrderRule.NEVER
    first = _canonical(schema, sql_a, begin, columns, duplicates, foreign_keys)
    if first is None:
        return None
    counts = rules.order is OrderRule.EITHER or (rules.order is OrderRule.FIRST and first.ordered)
    second = _canonical(schema, sql_b, counts, columns, duplicates, foreign_keys)
    if second is None:
        return None
    if first.text == second.text:
        return _same_text(first, second)
    if not solver or first.skeletons.isdisjoint(second.skeletons):
        return None
    tables = _tables(schema, foreign_keys)
    forms = [
        opened(sql, tables, order=order, duplicates=duplicates)
        for sql, order in ((sql_a, begin), (sql_b, counts))
    ]
    step = _same_rows(*forms)
    if step is None:
        return None
    proof = _same_text(first, second)
    return Proof((*proof.steps[:-1], step, proof.steps[-1]), proof.foreign_keys)


def _same_rows(first_forms: Sequence[OpenForm], second_forms: Sequence[OpenForm]) -> str | None:
    """Return a step that says which conditions keep the same rows, by the solver."""
    for first, second in itertools.product(first_forms, second_forms):
        if first.skeleton == second.skeleton and all(
            keep_the_same_rows(first, second, part) for part in ("where", "having")
        ):
            ours, theirs = (
                _apart(form, other) for form, other in ((first, second), (second, first))
            )
            if not ours or not theirs:
                return f"The condition {ours or theirs} drops no further row, as z3 shows."
            return f"The conditions {ours} and {theirs} keep the same rows, as z3 shows."
    return None


def _apart(form: OpenForm, other: OpenForm) -> str:
    """Return the conditions of a query that the other one does not have word for word."""
    known = {other.text(part) for part in (*other.where, *other.having)}
    left = [part for part in (*form.where, *form.having) if form.text(part) not in known]
    return " AND ".join(form.shown(part) for part in left)


@kept_by_schema
def _canonical(
    schema: Schema,
    sql: str,
    order: bool,
    column_order: bool,
    duplicates: bool,
    foreign_keys: bool,
) -> CanonicalQuery | None:
    tables = _tables(schema, foreign_keys)
    try:
        return canonical(sql, tables, order=order, column_order=column_order, duplicates=duplicates)
    except (Untranslatable, ParseError, RecursionError):
        return None


def normal_form(
    sql: str,
    schema: Schema,
    dialect: str = "sqlite",
    conventions: Conventions | None = None,
) -> str | None:
    """Return a text that is the same only for queries which `prove` proves equivalent.

    None where a query cannot be brought to one. Parameters as in `prove`.
    """
    if dialect.lower() != "sqlite":
        return None
    rules = conventions or Conventions()
    order = rules.order is not OrderRule.NEVER
    found = _canonical(schema, sql, order, not rules.any_column_order, rules.duplicates, True)
    return None if found is None else found.text


def _same_text(first: CanonicalQuery, second: CanonicalQuery) -> Proof:
    steps = []
    for name, own, other in (("first", first, second), ("second", second, first)):
        steps += [f"In the {name} query: {step}" for step in own.steps if step not in other.steps]
    steps += [f"In both queries: {step}" for step in first.steps if step in second.steps]
    steps.append(
        f"Both queries{' then' if steps else ''} read the same but for aliases, the order of "
        "joined tables and of conditions, and ways of writing the same condition."
    )
    keys = dict.fromkeys((*first.foreign_keys, *second.foreign_keys))
    return Proof(tuple(steps), tuple(keys))


def _tables(schema: Schema, foreign_keys: bool) -> dict[str, TableFacts]:
    return schema.once(table_facts if foreign_keys else _without_foreign_keys)


def _without_foreign_keys(schema: Schema) -> dict[str, TableFacts]:
    """Return the facts by which a proof rests on nothing that SQLite leaves unchecked."""
    facts = schema.once(table_facts)
    return {name: replace(table, foreign_keys=()) for name, table in facts.items()}


def table_facts(schema: Schema) -> dict[str, TableFacts]:
    """Return what proofs may use of each base table, by folded name.

    A table with collations is left out, and no query on it is proved anything: its equal texts
    may be different ones, of which either is shown.
    """
    found = {}
    for table in schema.tables:
        if not table.is_view and not table.has_collations:
            found[table.name.casefold()] = _facts(table, schema)
    return found


def _facts(table: Table, schema: Schema) -> TableFacts:
    rowid = _row_number(table)
    columns = {
        column.name.casefold(): ColumnFacts(
            column.name,
            affinity(column.declared_type),
            column.not_null or column.name == rowid,
        )
        for column in table.columns
    }
    keys = [
        frozenset(name.casefold() for name in names)
        for names in (table.primary_key, *table.unique)
        if names
    ]
    foreign = [
        KeyFacts(
            tuple(name.casefold() for name in key.columns),
            key.referred_table.casefold(),
            tuple(name.casefold() for name in key.referred_columns),
        )
        for key in schema.foreign_keys
        if not key.inferred and key.table.casefold() == table.name.casefold()
    ]
    return TableFacts(table.name, columns, tuple(dict.fromkeys(keys)), tuple(foreign))


def _row_number(table: Table) -> str | None:
    """Return the column that is the number of the row, which is never NULL.

    INTEGER PRIMARY KEY DESC is none, and may be NULL; without row numbers NOT NULL is declared.
    """
    if len(table.primary_key) != 1 or table.has_key_index:
        return None
    column = table.column(table.primary_key[0])
    is_number = column is not None and column.declared_type.strip().upper() == "INTEGER"
    return table.primary_key[0] if is_number else None
