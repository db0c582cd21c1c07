"""PRED01: a comparison that no row of its table satisfies."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.question.reading import read_question
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.probes.blanks import stored_with_blanks
from clausewise.signals.probes.stored_forms import few_values, is_category
from clausewise.signals.units import comparisons, for_each, required, skip_unless
from clausewise.sql.model import Comparison, Select, Source
from clausewise.types import Clause, Cost, Finding, Group, Need

LONGEST_SHOWN = 30
"""Characters of a value that is listed in a message."""
MOST_LOOKED_UP = 200
"""How many constants of one comparison are looked up in other columns."""


@signal(
    code="PRED01",
    name="empty_predicate",
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
    version=3,
    reasons={
        "empties_its_clause": "The comparison is a top-level AND part: nothing can pass.",
        "not_among_few": (
            "The comparison is a top-level AND part, and the column holds few other values.",
            "strong",
        ),
        "stated_range": "The question says the bounds: perhaps nothing lies between them.",
        "one_of_several": "It stands inside OR, NOT or CASE, where other parts may still pass.",
        "stored_blanks": "The stored value has blanks around it: a fault of the data first of all.",
    },
    sets={"sqlens", "sqlens-reference", "redsql"},
)
@for_each(
    comparisons, otherwise="no column is compared with a constant on a relation that has rows"
)
def empty_predicate(unit: tuple[Select, Comparison], context: Context) -> Iterator[Finding]:
    """A comparison of a column with a constant keeps no row of its table.

    What it measures
    ----------------
    Each comparison between one column and constants, run alone on the relation that the column
    comes from: the table, or the sub-query or CTE where the column is one of theirs. A value that
    is stored with blanks around it counts little, and bounds that the question says count less.

    Why it points to an error
    -------------------------
    A value that the column does not hold is mostly a wrong spelling, a wrong column or a wrong
    operator; the query then answers with nothing, or with zero.

    Fires on
    --------
    SELECT COUNT(*) FROM district WHERE A2 = 'jesenik'  -- the table holds 'Jesenik'

    Stays silent on
    ---------------
    SELECT COUNT(*) FROM district WHERE A2 = 'Jesenik'

    Does not apply when
    -------------------
    The query compares no column with a constant, or the table is empty. `IS NULL` on a table that
    an outer join may leave without a row is skipped: it asks for entities without a partner.

    How to repair
    -------------
    Use the value as the database spells it, or a comparison without regard to case; check that
    the column is the one that holds such values; check the operator and its direction.

    Cost
    ----
    One statement for each comparison, stopped at its first row.

    References
    ----------
    SQLens, appendix A.1 (empty predicate); RED-SQL (unsatisfiable).
    """
    select, comparison = unit
    source = required(comparison.column.source)
    skip_unless(comparison.literals and not comparison.column.in_aggregate)
    skip_unless(not _asks_for_no_partner(comparison, source))
    probe = context.row_probe(source, comparison.clause.text)
    if context.keeps_a_row(probe):
        return
    skip_unless(source.table is None or context.database.row_count(source.table))
    yield _finding(context, select, comparison, probe)


def _asks_for_no_partner(comparison: Comparison, source: Source) -> bool:
    """Whether it is `IS NULL` on a table that an outer join may leave without a row."""
    joined = source.join is not None and source.join.kind in ("left", "full")
    return joined and comparison.operator == "IS" and not comparison.negated


def _finding(context: Context, select: Select, comparison: Comparison, probe: str) -> Finding:
    alone = select.is_conjunct(comparison)
    reason = "empties_its_clause" if alone else "one_of_several"
    if stored_with_blanks(context, comparison):
        reason = "stored_blanks"
    elif alone and _is_stated_range(context, comparison):
        reason = "stated_range"
    held = few_values(context, comparison.column) if _asks_for_text(comparison) else ()
    if held and reason == "empties_its_clause" and is_category(context, comparison.column):
        reason = "not_among_few"
    listed = ", ".join(f"'{value[:LONGEST_SHOWN]}'" for value in held)
    column = comparison.column
    return Finding(
        clause=comparison.clause,
        reason=reason,
        message=f"no row satisfies {comparison.clause.text}"
        + (f": {column.table}.{column.column} holds {listed}" if held else ""),
        evidence={
            "sql": probe,
            "rows": 0,
            "value_found_in": _where_else(context, comparison),
            "held": list(held),
        },
        suggestion=_suggestion(context, comparison),
    )


def _asks_for_text(comparison: Comparison) -> bool:
    """Whether a bare column is to equal texts."""
    return (
        comparison.operator in ("=", "IN", "LIKE")
        and not comparison.negated
        and not comparison.wrapped
        and all(isinstance(literal.value, str) for literal in comparison.literals)
    )


def _is_stated_range(context: Context, comparison: Comparison) -> bool:
    """Whether the comparison orders by numbers that all stand in the question."""
    said = {number.value for number in read_question(context.case).numbers}
    values = [literal.value for literal in comparison.literals]
    numbers = [float(value) for value in values if isinstance(value, int | float)]
    ordering = comparison.operator in ("<", "<=", ">", ">=", "BETWEEN")
    return ordering and len(numbers) == len(values) and said.issuperset(numbers)


def _where_else(context: Context, comparison: Comparison) -> list[str]:
    """Return where the first constants do stand, as `table.column = 'stored spelling'`."""
    return [
        f"{place.table}.{place.column} = '{place.value}'"
        for literal in comparison.literals[:MOST_LOOKED_UP]
        if isinstance(literal.value, str)
        for place in context.database.find_value(literal.value)[:5]
    ]


def _suggestion(context: Context, comparison: Comparison) -> str | None:
    column = comparison.column
    for literal in comparison.literals[:MOST_LOOKED_UP]:
        if not isinstance(literal.value, str):
            continue
        places = context.database.find_value(literal.value)
        own = [p for p in places if (p.table, p.column) == (column.table, column.column)]
        if own and own[0].value != literal.value:
            return f"the column holds '{own[0].value}'"
        if places and not own:
            return f"'{places[0].value}' stands in {places[0].table}.{places[0].column}"
    return None
