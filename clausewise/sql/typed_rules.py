"""Where the types of operands decide whether an expression means the same in DuckDB.

PostgreSQL refuses to compare a text with a number, MySQL turns the text into a number, DuckDB
casts and may fail: such a query is refused. Types are inferred by sqlglot from those of the
columns; an expression whose type is not known is refused where it matters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.optimizer.qualify import qualify
from sqlglot.schema import MappingSchema

from clausewise.errors import NotComparable
from clausewise.sql.dialect_rules import EXTRACTED

ENGINE = "duckdb"
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d)?)?")
_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ)
_ORDERING = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.Ordered, exp.Min, exp.Max)
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Mod, exp.Neg, exp.Sum, exp.Avg, exp.Abs)
_TEXTUAL = (exp.Lower, exp.Upper, exp.Length, exp.DPipe)
_ONE_OPERAND = (exp.Sum, exp.Avg, exp.Abs, exp.Neg, exp.Not)
_LOGICAL = (exp.And, exp.Or, exp.Not, exp.Where, exp.Having, exp.Join)
_COMPUTED_TEXTS = (exp.DPipe, exp.Substring)

Types = Mapping[str, Mapping[str, str]]
"""Table to column to the type that the engine gives it."""


def typed_tree(tree: exp.Expr, types: Types) -> exp.Expr:
    """Return a copy of the tree with every column resolved and every type inferred.

    Raises NotComparable where that is not possible.
    """
    schema = MappingSchema(
        {table: dict(columns) for table, columns in types.items()}, dialect=ENGINE
    )
    try:
        qualified = qualify(tree.copy(), schema=schema, dialect=ENGINE, quote_identifiers=False)
        typed: exp.Expr = annotate_types(qualified, schema=schema, dialect=ENGINE)
    except (SqlglotError, RecursionError) as error:
        raise NotComparable(f"its columns cannot be resolved: {_line(error)}") from None
    return typed


def check_types(tree: exp.Expr, dialect: str) -> None:
    """Raise NotComparable for the first expression whose meaning hangs on types that differ."""
    for node in tree.walk():
        if isinstance(node, exp.Div):
            _check_division(node, dialect)
        elif isinstance(node, exp.Cast):
            _check_cast(node, dialect)
        elif isinstance(node, (exp.Like, exp.ILike)):
            _check_pattern(node)
        elif isinstance(node, exp.Extract):
            _check_extract(node)
        elif isinstance(node, exp.Mod) and not _is_nonzero(node.expression):
            raise NotComparable("the divisor of % may be 0")
        elif isinstance(node, exp.SetOperation):
            _check_members(node)
        elif isinstance(node, (exp.Min, exp.Max)) and _kind(node.this) in ("boolean", ""):
            raise NotComparable(f"{_shown(node)} orders truth values")
        else:
            _check_kinds(node, dialect)


def orders_texts(tree: exp.Expr) -> bool:
    """Whether the order of texts, which is up to the collation, plays a part.

    Raises NotComparable where texts are ordered in a query that also makes new ones.
    """
    ordering = [node for node in tree.find_all(*_ORDERING) if _kind(node.this) in ("text", "")]
    if ordering and any(tree.find_all(*_COMPUTED_TEXTS)):
        raise NotComparable("the order of computed texts depends on the collation")
    return bool(ordering)


def _check_kinds(node: exp.Expr, dialect: str) -> None:
    """Raise where the operands are not of one kind, or not of the kind that is wanted."""
    operands = list(_operands(node))
    kinds = {_kind(operand) for operand in operands} - {"null"}
    # ISO texts compared with dates are read as dates by all three.
    if "date" in kinds and all(
        _kind(operand) == "date" or _is_iso(operand)
        for operand in operands
        if _kind(operand) != "null"
    ):
        kinds = {"date"}
    numeric = {"number", "boolean"} if dialect == "mysql" else {"number"}
    wanted = None
    if isinstance(node, _TEXTUAL):
        wanted = {"text"}
    elif isinstance(node, _ARITHMETIC):
        wanted = numeric
    elif isinstance(node, _LOGICAL):
        wanted = {"boolean"}
    if "" in kinds:
        raise NotComparable(f"the type of an operand in {_shown(node)} is not known")
    if wanted is None and len(kinds) > 1 and not kinds <= numeric:
        raise NotComparable(f"{_shown(node)} mixes {' and '.join(sorted(kinds))}")
    if wanted is not None and not kinds <= wanted:
        raise NotComparable(f"{_shown(node)} takes a {' and a '.join(sorted(kinds - wanted))}")


def _operands(node: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(node, (*_COMPARISONS, exp.DPipe, exp.And, exp.Or, exp.Add, exp.Sub, exp.Mul)):
        yield from (node.left, node.right)
    elif isinstance(node, exp.Between):
        yield from (node.this, node.args["low"], node.args["high"])
    elif isinstance(node, exp.In):
        yield node.this
        query = node.args.get("query")
        yield from node.expressions
        if query is not None:
            yield from query.unnest().selects[:1]
    elif isinstance(node, exp.Join):
        yield from filter(None, [node.args.get("on")])
    elif isinstance(node, (exp.Where, exp.Having, *_ONE_OPERAND, *_TEXTUAL)):
        inner = node.this
        yield from inner.expressions if isinstance(inner, exp.Distinct) else [inner]
    elif isinstance(node, exp.Coalesce):
        yield from (node.this, *node.expressions)
    elif isinstance(node, exp.Nullif):
        yield from (node.this, node.expression)
    elif isinstance(node, exp.If):
        yield from filter(None, [node.args.get("true"), node.args.get("false")])
    elif isinstance(node, exp.Case):
        yield from (branch.args["true"] for branch in node.args["ifs"])
        if node.args.get("default") is not None:
            yield node.args["default"]


def _check_division(node: exp.Div, dialect: str) -> None:
    kinds = {_kind(side) for side in (node.left, node.right)}
    if kinds != {"number"}:
        raise NotComparable(f"{_shown(node)} divides what is no number")
    fractional = [side for side in (node.left, node.right) if not _is_whole(side)]
    if dialect == "mysql":
        if not any(
            side.is_type(exp.DType.DOUBLE) and not side.find(exp.Literal) for side in fractional
        ):
            raise NotComparable("the quotient of whole or decimal numbers keeps few decimals")
        return
    if not fractional:
        raise NotComparable("the quotient of whole numbers is cut off in this dialect")
    if not _is_nonzero(node.right):
        raise NotComparable("the divisor may be 0, which is an error in this dialect")


def _check_cast(node: exp.Cast, dialect: str) -> None:
    target = node.args["to"]
    source = node.this
    if _kind(source) == "number":
        if target.is_type(exp.DType.DOUBLE):
            return
        if dialect == "postgres" and target.is_type(exp.DType.DECIMAL) and not target.expressions:
            return
        if _is_whole(source) and target.is_type(exp.DType.INT, exp.DType.BIGINT):
            return
    if target.is_type(exp.DType.DATE) and (_is_iso(source) or source.is_type(exp.DType.DATE)):
        return
    raise NotComparable(f"the cast to {target.sql(ENGINE)} converts by rules of its own")


def _check_pattern(node: exp.Expr) -> None:
    pattern = node.expression
    if _kind(node.this) != "text":
        raise NotComparable(f"{_shown(node)} looks for a pattern in what is no text")
    if not (isinstance(pattern, exp.Literal) and pattern.is_string) or "\\" in pattern.name:
        raise NotComparable("a pattern that is no constant, or has a backslash")


def _check_extract(node: exp.Extract) -> None:
    if node.this.name.upper() not in EXTRACTED or _kind(node.expression) != "date":
        raise NotComparable(f"EXTRACT of {node.this.name.upper()} is not examined")


def _check_members(node: exp.SetOperation) -> None:
    left, right = ([_kind(item) for item in member.selects] for member in (node.left, node.right))
    if any(a != b and "null" not in (a, b) for a, b in zip(left, right, strict=False)):
        raise NotComparable("the members of a set operation have columns of other types")


def _kind(node: exp.Expr) -> str:
    """Return `number`, `text`, `date`, `boolean`, `null`, or nothing where it is not known."""
    if isinstance(node, (exp.Null, exp.Star)):
        return "null"
    kinds: Iterable[tuple[str, Iterable[exp.DType]]] = (
        ("number", exp.DataType.NUMERIC_TYPES),
        ("text", exp.DataType.TEXT_TYPES),
        ("date", (exp.DType.DATE, exp.DType.TIMESTAMP, exp.DType.DATETIME, exp.DType.TIME)),
        ("boolean", (exp.DType.BOOLEAN,)),
        ("null", (exp.DType.NULL,)),
    )
    if isinstance(
        node, (exp.Exists, exp.Is, exp.In, exp.Between, exp.Like, exp.ILike, *_COMPARISONS)
    ):
        return "boolean"
    found: list[str] = [kind for kind, types in kinds if node.is_type(*types)]
    return found[0] if found else ""


def _is_whole(node: exp.Expr) -> bool:
    return bool(node.is_type(*exp.DataType.INTEGER_TYPES))


def _is_nonzero(node: exp.Expr) -> bool:
    inner = node.unnest()
    if isinstance(inner, exp.Nullif):
        return bool(inner.expression.name == "0")
    return isinstance(inner, exp.Literal) and not inner.is_string and bool(inner.name.strip("0."))


def _is_iso(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and bool(_ISO_DATE.fullmatch(node.name))


def _shown(node: exp.Expr) -> str:
    text = node.sql(ENGINE)
    return text if len(text) <= 60 else f"{text[:60]} ..."


def _line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0]
