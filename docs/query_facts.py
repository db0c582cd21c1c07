"""The page of what a signal can read of a query, from the dataclasses of `clausewise.sql.model`."""

from __future__ import annotations

import ast
import inspect
from itertools import pairwise

from clausewise.sql import model

SHOWN = (
    "Query", "Select", "Source", "ColumnUse", "Comparison", "Literal", "Join", "JoinPair",
    "SubqueryFilter", "Conjunct", "Projection", "Aggregate", "OrderItem", "Call", "Keyword",
    "Piece", "Role",
)  # fmt: skip
NOTICE = "<!-- Generated from clausewise/sql/model.py by `make docs`; edit there. -->"


def page() -> str:
    """Return the page."""
    classes = {
        node.name: node
        for node in ast.parse(inspect.getsource(model)).body
        if isinstance(node, ast.ClassDef)
    }
    lines = [
        NOTICE,
        "# What a signal can read of a query",
        "",
        "`context.query` is a `Query`; all others are found from it. Positions are character "
        "offsets into the predicted SQL, so that a piece is the text as its author wrote it.",
    ]
    for name in SHOWN:
        lines += ["", f"## {name}", "", _flowing(ast.get_docstring(classes[name]) or ""), ""]
        lines += ["| field | type | |", "|---|---|---|", *_fields(classes[name])]
    return "\n".join(lines) + "\n"


def _fields(node: ast.ClassDef) -> list[str]:
    """Return a table row for each field, property and method that is not private."""
    rows = []
    for statement, after in pairwise([*node.body, ast.Pass()]):
        note = ""
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            note = str(after.value.value)
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
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
