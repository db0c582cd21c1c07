"""Queries with the facts that must be found in them: `cases/*.yaml`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from clausewise.errors import ParseError
from clausewise.sql import Comparison, Query, Select, SubqueryFilter, parse

FOLDER = Path(__file__).parent / "cases"
FACTS = sorted(path for path in FOLDER.glob("*.yaml") if path.stem != "errors")


def load(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return yaml.safe_load(file)


def facts() -> list[Any]:
    return [
        pytest.param(case, id=f"{path.stem}: {case['name']}")
        for path in FACTS
        for case in load(path)
    ]


def comparison(item: Comparison) -> list[Any]:
    flags = {
        "negated": item.negated,
        "wrapped": item.wrapped,
        "in_group": item.in_negated_group,
    }
    values = [literal.value for literal in item.literals]
    row = [item.clause.text, item.column.name, item.operator, values]
    return [*row, " ".join(name for name, is_set in flags.items() if is_set)]


def subquery(item: SubqueryFilter) -> list[Any]:
    operator = f"NOT {item.operator}" if item.negated else item.operator
    return [item.clause.text, operator, item.column and item.column.name, item.subquery.index]


def without_defaults(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value}


OF_SELECT: dict[str, Callable[[Select], Any]] = {
    "clauses": lambda s: [[clause.kind.value, clause.text] for clause in s.clauses],
    "sources": lambda s: [[x.name, x.alias, x.table] for x in s.sources],
    "definitions": lambda s: [x.select and x.select.index for x in s.sources],
    "limit": lambda s: s.limit,
    "offset": lambda s: s.offset and s.offset.text,
    "grouped_projections": lambda s: [p.expression.text for p in s.grouped_projections],
    "distinct": lambda s: s.distinct,
    "correlated": lambda s: s.correlated,
    "conjuncts": lambda s: [conjunct.piece.text for conjunct in s.conjuncts],
    "literals": lambda s: [[literal.value, literal.piece.text] for literal in s.literals],
    "group_by": lambda s: [piece.text for piece in s.group_by],
    "group_columns": lambda s: [use.name for use in s.group_columns],
    "comparisons": lambda s: [comparison(item) for item in s.comparisons],
    "subqueries": lambda s: [subquery(item) for item in s.subquery_filters],
    "pairs": lambda s: [[p.clause.text, p.operator, p.clause.kind.value] for p in s.join_pairs],
    "outer_pairs": lambda s: [[p.clause.text, p.operator] for p in s.outer_pairs],
    "joins": lambda s: [[j.kind, j.clause.text, [p.clause.text for p in j.pairs]] for j in s.joins],
    "self_pairs": lambda s: [p.clause.text for p in s.self_pairs],
    "parts": lambda s: [c.predicate and c.predicate.clause.text for c in s.conjuncts],
    "whole": lambda s: [c.clause.text for c in s.comparisons if s.is_conjunct(c)],
    "conditions": lambda s: [c.column and c.column.name for c in s.conjuncts],
    "conditional": lambda s: [a.piece.text for a in s.aggregates if a.conditional],
    "aggregates": lambda s: [
        [a.function, a.piece.text, [use.name for use in a.columns]] for a in s.aggregates
    ],
    "arguments": lambda s: [a.argument and a.argument.name for a in s.aggregates],
    "whole_aggregates": lambda s: [p.aggregate and p.aggregate.piece.text for p in s.projections],
    "keys_selected": lambda s: [o.selected and o.selected.expression.text for o in s.order_by],
    "nulls_last": lambda s: [o.nulls_last for o in s.order_by],
    "columns": lambda s: [[c.piece.text, c.table, c.column, c.depth] for c in s.columns],
    "projections": lambda s: [
        {"text": p.piece.text, "expression": p.expression.text}
        | without_defaults(
            alias=p.alias,
            column=p.column and p.column.name,
            star=p.star,
            aggregate=p.has_aggregate,
        )
        for p in s.projections
    ],
    "order_by": lambda s: [
        {"text": o.piece.text, "expression": o.expression.text}
        | without_defaults(
            column=o.column and o.column.column,
            descending=o.descending,
            aggregate=o.has_aggregate,
        )
        for o in s.order_by
    ],
}
OF_QUERY: dict[str, Callable[[Query], Any]] = {
    "roles": lambda q: [[s.role.value, s.piece.text] for s in q.selects],
    "parents": lambda q: [s.parent and s.parent.index for s in q.selects],
    "correlations": lambda q: [s.correlated for s in q.selects],
    "set_operators": lambda q: [s.set_operator for s in q.selects],
    "set_operations": lambda q: [span.text for span in q.set_operations],
    "unknown": lambda q: [name.written for name in q.unknown_names],
    "functions": lambda q: list(q.functions),
    "depth": lambda q: q.depth,
    "with": lambda q: q.with_clause and q.with_clause.text,
    "span": lambda q: q.span.text,
}


def expected(key: str, rows: Any) -> Any:
    """Fill in what the data files leave out because it is the usual value."""
    if key == "comparisons":
        return [[*row, ""] if len(row) == 4 else row for row in rows]
    if key == "columns":
        return [[*row, 0] if len(row) == 3 else row for row in rows]
    if key == "projections":
        return [{"expression": row["text"], **row} for row in rows]
    return rows


@pytest.mark.parametrize("case", facts())
def test_facts(case: dict[str, Any], tables: dict[str, list[str]]) -> None:
    query = parse(case["sql"], tables=case.get("tables", tables))
    select = query.selects[case["select"]] if "select" in case else query.root
    keys = set(case) - {"name", "sql", "tables", "select"}
    assert keys <= set(OF_SELECT) | set(OF_QUERY)
    assert keys
    for key in sorted(keys):
        found = OF_SELECT[key](select) if key in OF_SELECT else OF_QUERY[key](query)
        assert found == expected(key, case[key]), key


@pytest.mark.parametrize("case", load(FOLDER / "errors.yaml"), ids=lambda case: repr(case["sql"]))
def test_broken_text_names_the_place(case: dict[str, str]) -> None:
    with pytest.raises(ParseError) as caught:
        parse(case["sql"])
    error = caught.value
    assert case["message"] in error.message
    assert case["sql"][error.start : error.end] == case["place"]
