"""SETOP01: a set operation over attributes that do not identify what is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from clausewise.errors import QueryFailed
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.keys import key_classes, key_of, naming_share
from clausewise.signals.probes.rows import input_rows, set_operations, stands_alone, statement
from clausewise.signals.units import for_each, skip_unless
from clausewise.sql.model import Select, Source
from clausewise.types import Clause, ClauseSpan, Cost, Finding, Group, Need

Chain: TypeAlias = Sequence[Select]
"""The members of one set operation, in text order."""


def _chains(context: Context) -> Sequence[Chain]:
    return set_operations(context.query)


@signal(
    code="SETOP01",
    name="non_key_set_operation",
    group=Group.DATABASE,
    family="identity",
    clauses={Clause.SET_OPERATION},
    needs={Need.DATABASE},
    cost=Cost.QUERY,
    version=1,
    reasons={
        "other_result_by_key": "The same operation over the key gives other rows in this data.",
        "over_aggregates": "Counts or other aggregates are compared: equal numbers, not equal "
        "things.",
        "unlike_columns": "The members show columns that no key connects and that share no value.",
        "names_merged": "UNION folds several entities of one name into one row.",
    },
    sets={"sqldriller-patterns"},
)
@for_each(_chains, otherwise="no set operation that compares rows, or none that can be run alone")
def non_key_set_operation(chain: Chain, context: Context) -> Iterator[Finding]:
    """UNION, INTERSECT or EXCEPT compares rows by something that is not their identity.

    What it measures
    ----------------
    Where all members show names of one table's rows: whether the same operation over the table's
    key would give other rows. Further: whether aggregates are intersected or subtracted, and
    whether two members show columns that share no value.

    Why it points to an error
    -------------------------
    Two employees of one name count as one: EXCEPT drops the one without a certificate because of
    the other who has it, and INTERSECT finds a person who is really two.

    Fires on
    --------
    SELECT name FROM employee EXCEPT SELECT e.name FROM employee e JOIN certificate c USING (id)

    Stays silent on
    ---------------
    SELECT id FROM employee EXCEPT SELECT id FROM certificate

    Does not apply when
    -------------------
    The query has no UNION, INTERSECT or EXCEPT, or only UNION ALL.

    How to repair
    -------------
    Run the set operation over the key, or write the second part as `key NOT IN (SELECT ...)`.

    Cost
    ----
    One or two statements for each set operation.

    References
    ----------
    SQLDriller, section 7 (pattern 3, improper attribute selection on set operations).
    """
    operators = {member.set_operator for member in chain[1:]}
    skip_unless("UNION ALL" not in operators and all(map(stands_alone, chain)))
    comparing = operators != {"UNION"}
    shown = [item for member in chain for item in member.projections]
    aggregate = next((item.piece.text for item in shown if item.has_aggregate), None)
    if comparing and aggregate is not None:
        yield Finding(
            clause=_words(context, chain),
            reason="over_aggregates",
            message=f"the set operation compares {aggregate}, a number, not the things counted",
            evidence={"aggregate": aggregate},
            suggestion="apply the set operation to the rows, and aggregate what is left",
        )
        return
    sources = [_named_source(context, member) for member in chain]
    named = [source for source in sources if source is not None]
    if len(named) == len(chain) and len({source.table for source in named}) == 1:
        yield from _by_key(context, chain, named, comparing)
    elif comparing:
        yield from _unlike(context, chain)


def _named_source(context: Context, member: Select) -> Source | None:
    """Return the one table whose rows a member names, None where it shows something else."""
    columns = [item.column for item in member.projections]
    first = columns[0].source if columns[0] is not None else None
    if first is None or first.table is None:
        return None
    names = [use.column for use in columns if use is not None and use.source is first]
    known = [name for name in names if name is not None]
    if len(known) != len(columns):
        return None
    if naming_share(context.database, first.table, known) is None:
        return None
    table = context.schema.table(first.table)
    key = set(key_of(table)) if table is not None else set()
    grouped = {use.column for use in member.group_columns if use.source is first}
    return None if member.group_by and not key <= grouped else first


def _by_key(
    context: Context, chain: Chain, sources: list[Source], comparing: bool
) -> Iterator[Finding]:
    """Compare what the operation gives with what it would give over the key."""
    table = context.schema.table(sources[0].table or "")
    key = key_of(table) if table is not None else ()
    names = [item.column.column or "" for item in chain[0].projections if item.column is not None]
    words = context.words
    listed, keyed = (", ".join(map(words.quote_name, part)) for part in (names, key))
    whole = context.query.text[chain[0].piece.start : _end(chain)]
    over_key = _with_key(context, chain, sources, key)
    if comparing and _only_names_can_meet(context, chain, sources, key):
        return
    held = f"FROM {words.quote_name(sources[0].table or '')} WHERE ({keyed}) IN (\n{over_key}\n)"
    if comparing:
        shown = words.derived(f"\n{whole}\n")
        ours, other = f"SELECT * FROM {shown}", f"SELECT {listed} {held}"
        sql = (
            f"SELECT (SELECT COUNT(*) FROM {words.derived(f'{ours} EXCEPT {other}')}) + "
            f"(SELECT COUNT(*) FROM {words.derived(f'{other} EXCEPT {ours}')})"
        )
    else:
        shown = words.derived(f"\n{whole}\n")
        sql = f"SELECT (SELECT COUNT(*) {held}) - (SELECT COUNT(*) FROM {shown})"
    sql = statement(context, sql)
    try:
        different = int(context.run(sql, rows=1).rows[0][0] or 0)
    except QueryFailed:
        return
    if different > 0:
        what = "rows differ" if comparing else "entities are folded into others of their name"
        yield Finding(
            clause=_words(context, chain),
            reason="other_result_by_key" if comparing else "names_merged",
            message=f"{', '.join(names)} does not identify a row of {sources[0].table}: "
            f"{different} {what} from the same operation over {', '.join(key)}",
            evidence={"sql": sql, "difference": different, "key": list(key)},
            suggestion=f"run the set operation over {', '.join(key)}",
        )


def _only_names_can_meet(
    context: Context, chain: Chain, sources: list[Source], key: Sequence[str]
) -> bool:
    """Whether conditions on the rows themselves keep all members apart.

    "Titles taught both in 1999 and in 2000" asks for names: no row has two years.
    """
    if any(len(member.sources) > 1 or member.group_by for member in chain):
        return False
    keys = [
        f"SELECT {_listed(context, source, key)}\n{input_rows(context, member)}"
        for member, source in zip(chain, sources, strict=True)
    ]
    try:
        return not context.keeps_a_row(statement(context, " INTERSECT ".join(keys)))
    except QueryFailed:
        return False


def _listed(context: Context, source: Source, key: Sequence[str]) -> str:
    quoted = context.words.quote_name
    return ", ".join(f"{quoted(source.alias)}.{quoted(name)}" for name in key)


def _with_key(context: Context, chain: Chain, sources: list[Source], key: Sequence[str]) -> str:
    """Return the set operation with the key in place of what each member shows."""
    text = context.query.text
    out, at = [], chain[0].piece.start
    for member, source in zip(chain, sources, strict=True):
        shown = member.projections
        out.append(text[at : shown[0].piece.start])
        out.append(_listed(context, source, key))
        at = shown[-1].piece.end
    out.append(text[at : _end(chain)])
    return "".join(out)


def _end(chain: Chain) -> int:
    """Return where the last member ends, without the ORDER BY and LIMIT of the whole."""
    kinds = (Clause.ORDER_BY, Clause.LIMIT)
    return max(clause.end for clause in chain[-1].clauses if clause.kind not in kinds)


def _unlike(context: Context, chain: Chain) -> Iterator[Finding]:
    """Look for members whose columns no key connects and that have no value in common."""
    classes = key_classes(context.schema)
    first, second = chain[0], chain[1]
    if len(first.projections) != 1 or len(second.projections) != 1:
        return
    left, right = first.projections[0].column, second.projections[0].column
    if left is None or right is None or None in (left.table, right.table):
        return
    one, other = (left.table or "", left.column or ""), (right.table or "", right.column or "")
    if one[1].casefold() == other[1].casefold() or classes.same(one, other):
        return
    quoted = context.words.quote_name
    common = context.words.derived(
        f"SELECT {quoted(one[1])} FROM {quoted(one[0])} INTERSECT "
        f"SELECT {quoted(other[1])} FROM {quoted(other[0])}"
    )
    sql = f"SELECT COUNT(*) FROM {common}"
    shared = int(context.run(sql, rows=1).rows[0][0] or 0)
    if shared == 0:
        yield Finding(
            clause=_words(context, chain),
            reason="unlike_columns",
            message=f"{'.'.join(one)} and {'.'.join(other)} have no value in common",
            evidence={"sql": sql, "values_in_common": 0},
            suggestion="select the same kind of thing in both parts",
        )


def _words(context: Context, chain: Chain) -> ClauseSpan:
    """Return UNION, INTERSECT or EXCEPT between the first two members."""
    start, end = chain[0].piece.start, chain[1].piece.start
    between = [item for item in context.query.set_operations if start < item.start < end]
    return between[-1] if between else context.query.span
