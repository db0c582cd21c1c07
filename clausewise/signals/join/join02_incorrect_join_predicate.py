"""JOIN02: two columns are joined that no key connects."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.databases.model import Schema
from clausewise.errors import NotApplicable
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.join._links import links
from clausewise.signals.keys import key_classes, refers_unsaid
from clausewise.signals.units import for_each
from clausewise.sql.model import JoinPair
from clausewise.types import Clause, Cost, Finding, Group, Need


def _pairs(context: Context) -> Iterator[JoinPair]:
    """Yield the pairs of known columns whose equal values the query takes for the same thing."""
    schema = context.schema
    if not schema.foreign_keys:
        raise NotApplicable("the schema declares no foreign key and the data shows none")
    for select in context.query.selects:
        for pair in links(select, schema):
            if None not in (pair.left.column, pair.right.column):
                yield pair


@signal(
    code="JOIN02",
    name="incorrect_join_predicate",
    group=Group.DATABASE,
    family="join",
    clauses={Clause.JOIN, Clause.WHERE},
    needs={Need.DATABASE},
    cost=Cost.PROFILE,
    version=2,
    reasons={
        "against_declared_keys": "The schema declares keys, and none connects the columns.",
        "same_name_against_declared_keys": "The same, but both columns have one name: schemas "
        "leave out keys that names make plain.",
        "against_inferred_keys": "No key inferred from the data connects the columns.",
        "same_name_against_inferred_keys": "The same, but both columns have one name.",
    },
    sets={"sqlens", "sqlens-reference", "redsql"},
)
@for_each(_pairs, otherwise="the query joins no two columns of tables")
def incorrect_join_predicate(pair: JoinPair, context: Context) -> Iterator[Finding]:
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
    if _connected(pair, schema) or _undeclared_key(pair, context):
        return
    keys = "inferred" if all(key.inferred for key in schema.foreign_keys) else "declared"
    same_name = (pair.left.column or "").casefold() == (pair.right.column or "").casefold()
    left = f"{pair.left.table}.{pair.left.column}"
    right = f"{pair.right.table}.{pair.right.column}"
    between = _keys_between(pair, schema)
    yield Finding(
        clause=pair.clause,
        reason=f"same_name_against_{keys}_keys" if same_name else f"against_{keys}_keys",
        message=f"no key connects {left} with {right}",
        evidence={"left": left, "right": right, "keys_between_the_tables": between},
        suggestion=f"join on {between[0]}" if between else None,
    )


def _connected(pair: JoinPair, schema: Schema) -> bool:
    left = (pair.left.table or "", pair.left.column or "")
    right = (pair.right.table or "", pair.right.column or "")
    return left == right or key_classes(schema).same(left, right)


def _undeclared_key(pair: JoinPair, context: Context) -> bool:
    """Whether names and data show a key that the schema leaves out: `flight.airline` for one."""
    ends = [(side.table or "", side.column or "") for side in (pair.left, pair.right)]
    return any(refers_unsaid(context, *order) for order in (ends, ends[::-1]))


def _keys_between(pair: JoinPair, schema: Schema) -> list[str]:
    """Return the keys between the two tables, as conditions of a join."""
    tables = {pair.left.table, pair.right.table}
    return [
        f"{key.table}.{own} = {key.referred_table}.{referred}"
        for key in schema.foreign_keys
        if {key.table, key.referred_table} == tables
        for own, referred in zip(key.columns, key.referred_columns, strict=True)
    ]
