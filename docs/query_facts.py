"""The page of what a signal can read and name, from the classes that hold it."""

from __future__ import annotations

import ast
import inspect
from itertools import pairwise

from clausewise import types
from clausewise.databases import model as databases
from clausewise.sql import model as sql

OF_QUERY = (
    "Query", "Select", "Source", "ColumnUse", "Comparison", "Literal", "Join", "JoinPair",
    "SubqueryFilter", "Conjunct", "Projection", "Aggregate", "OrderItem", "Call", "Keyword",
    "Piece", "Role",
)  # fmt: skip
OF_DATABASE = (
    "Schema", "Table", "Column", "ForeignKey", "ColumnProfile", "ValuePlace", "QueryResult",
)  # fmt: skip
OF_METADATA = ("Clause", "Group", "Need", "Cost")
NOTICE = "<!-- Generated from the classes' docstrings by `make docs`; edit there. -->"
PARTS = (
    (
        "Of the query",
        sql,
        OF_QUERY,
        "`context.query` is a `Query`; all others are found from it. Positions are character "
        "offsets into the predicted SQL, so that a piece is the text as its author wrote it. "
        "Constants stand in text order. A column of a sub-query or a CTE has `table` None; its "
        "`source` says where it comes from.",
    ),
    (
        "Of the database",
        databases,
        OF_DATABASE,
        "`context.schema` is a `Schema`; `context.database.profile(table, column)` returns a "
        "`ColumnProfile`, `context.database.find_value(text)` the `ValuePlace`s that hold a value, "
        "`context.database.row_count(table)` a number; `context.result` and `context.run(sql)` "
        "are a `QueryResult`.",
    ),
    (
        "What a signal declares",
        types,
        OF_METADATA,
        "A signal declares the clauses that it points at, the group that its evidence comes "
        "from, what it cannot do without, and its cost. Only a signal that runs a statement or "
        "looks up values needs `Need.DATABASE`; one that costs `PARSE` also runs where the "
        "database refused the query.",
    ),
)


def page() -> str:
    """Return the page."""
    lines = [NOTICE, "# What a signal can read and name"]
    for title, module, shown, text in PARTS:
        classes = {
            node.name: node
            for node in ast.parse(inspect.getsource(module)).body
            if isinstance(node, ast.ClassDef)
        }
        lines += ["", f"## {title}", "", text]
        for name in shown:
            about = _flowing(ast.get_docstring(classes[name]) or "")
            lines += ["", f"### {name}", "", about, "", "| name | type or value | |"]
            lines += ["|---|---|---|", *_fields(classes[name])]
    return "\n".join(lines) + "\n"


def _fields(node: ast.ClassDef) -> list[str]:
    """Return a table row for each field, property and method that is not private."""
    rows = []
    for statement, after in pairwise([*node.body, ast.Pass()]):
        note = ""
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            note = str(after.value.value)
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            if statement.target.id.startswith("_"):
                continue
            rows.append(_row(statement.target.id, ast.unparse(statement.annotation), note))
        elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            rows.append(_row(statement.targets[0].id, ast.unparse(statement.value), note))
        elif isinstance(statement, ast.FunctionDef) and not statement.name.startswith("_"):
            is_property = any(ast.unparse(part) == "property" for part in statement.decorator_list)
            arguments = ast.unparse(statement.args).removeprefix("self").removeprefix(", ")
            name = statement.name if is_property else f"{statement.name}({arguments})"
            returns = "" if statement.returns is None else ast.unparse(statement.returns)
            rows.append(_row(name, returns, ast.get_docstring(statement) or ""))
    return rows


def _row(name: str, kind: str, note: str) -> str:
    kind = kind.replace(" | ", " or ")
    return f"| `{name}` | `{kind}` | {_flowing(note)} |"


def _flowing(text: str) -> str:
    return " ".join(text.split())
