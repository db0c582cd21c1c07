"""JOIN02: two columns are joined that no key connects."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.databases.model import Schema
from clausewise.errors import NotApplicable
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.join._links import links
from clausewise.signals.keys import key_classes, refers_unsaid
from clausewise.sql.model import JoinPair
from clausewise.types import Case, Clause, Cost, Finding, Group, Level, Need

AGAINST_DECLARED_KEYS = 0.9
AGAINST_INFERRED_KEYS = 0.6
SAME_NAME_DISCOUNT = 0.3
"""Taken off where both columns have one name: schemas leave out keys that names make plain."""


@signal(
    code="JOIN02",
    name="incorrect_join_predicate",
    group=Group.DATABASE,
    family="join",
    clauses={Clause.JOIN, Clause.WHERE},
    needs={Need.DATABASE},
    cost=Cost.PROFILE,
    version=2,
    sets={"sqlens", "sqlens-reference", "redsql"},
)
def incorrect_join_predicate(case: Case, context: Context) -> Iterator[Finding]:
    """A join condition compares columns that no key of the schema connects.

    What it measures
    ----------------
    For every equality between columns of two tables: is it a declared primary-key/foreign-key
    pair, or do both columns refer, directly or over others, to the same key? The same is asked of
    a key that is looked for in a sub-query (`IN`, `=`) or that ties a sub-query to its outer query.

    Why it points to an error
    -------------------------
    Columns that hold different things may still hold equal numbers: the join runs and pairs rows
    that have nothing to do with each other.

    Fires on
    --------
    SELECT COUNT(*) FROM client JOIN account ON client.client_id = account.account_id

    Stays silent on
    ---------------
    SELECT COUNT(*) FROM client JOIN account ON client.client_id = account.client_id; a key that
    the schema leaves out, where the referring column is named after it and holds only its values.

    Does not apply when
    -------------------
    The query joins no two columns of tables, or neither declared keys nor keys inferred from the
    data exist.

    How to repair
    -------------
    Join along the schema's foreign keys; where the two tables share none, go over the table that
    both refer to.

    Cost
    ----
    One statement for a pair that only names tie, to see whether the data agree. Keys inferred from
    the data count as weaker evidence than declared ones.

    References
    ----------
    SQLens, appendix A.1 (incorrect join predicate); RED-SQL (join abnormal).
    """
    schema = context.schema
    if not schema.foreign_keys:
        raise NotApplicable("the schema declares no foreign key and the data shows none")
    declared = any(not key.inferred for key in schema.foreign_keys)
    looked_at = False
    for select in context.query.selects:
        for pair in links(select, schema):
            if None in (pair.left.column, pair.right.column):
                continue
            looked_at = True
            if not _connected(pair, schema) and not _undeclared_key(pair, context):
                yield _finding(pair, schema, declared)
    if not looked_at:
        raise NotApplicable("the query joins no two columns of tables")


def _connected(pair: JoinPair, schema: Schema) -> bool:
    left = (pair.left.table or "", pair.left.column or "")
    right = (pair.right.table or "", pair.right.column or "")
    return left == right or key_classes(schema).same(left, right)


def _undeclared_key(pair: JoinPair, context: Context) -> bool:
    """Whether names and data show a key that the schema leaves out: `flight.airline` for one."""
    ends = [(side.table or "", side.column or "") for side in (pair.left, pair.right)]
    return any(refers_unsaid(context, *order) for order in (ends, ends[::-1]))


def _finding(pair: JoinPair, schema: Schema, declared: bool) -> Finding:
    left = f"{pair.left.table}.{pair.left.column}"
    right = f"{pair.right.table}.{pair.right.column}"
    score = AGAINST_DECLARED_KEYS if declared else AGAINST_INFERRED_KEYS
    if (pair.left.column or "").casefold() == (pair.right.column or "").casefold():
        score -= SAME_NAME_DISCOUNT
    tables = {pair.left.table, pair.right.table}
    between = [
        f"{key.table}.{own} = {key.referred_table}.{referred}"
        for key in schema.foreign_keys
        if {key.table, key.referred_table} == tables
        for own, referred in zip(key.columns, key.referred_columns, strict=True)
    ]
    return Finding(
        clause=pair.clause,
        score=round(score, 2),
        message=f"no key connects {left} with {right}",
        evidence={
            "left": left,
            "right": right,
            "keys": "declared" if declared else "inferred",
            "keys_between_the_tables": between,
        },
        suggestion=f"join on {between[0]}" if between else None,
        level=Level.ERROR if declared else Level.WARNING,
    )
