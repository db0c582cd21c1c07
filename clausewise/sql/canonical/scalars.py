"""From a syntax tree to expressions: values, conditions, and the functions that are known."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from decimal import Decimal

from sqlglot import exp

from clausewise.sql.canonical.expressions import affinity_of, relations_in, repeatable
from clausewise.sql.canonical.model import NULL, ONE, Expression, Query, Untranslatable, width
from clausewise.sql.canonical.names import NameScope
from clausewise.sql.nodes import unwrap

CommonTables = Mapping[str, tuple[exp.CTE, "CommonTables"]]

_COMPARISONS: dict[type[exp.Expr], str] = {
    exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
}  # fmt: skip
_ARITHMETIC: dict[type[exp.Expr], str] = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%",
}  # fmt: skip
_PATTERNS: dict[type[exp.Expr], str] = {exp.Like: "LIKE", exp.Glob: "GLOB"}
_AGGREGATES: dict[type[exp.Expr], str] = {
    exp.Count: "COUNT", exp.Sum: "SUM", exp.Avg: "AVG", exp.Min: "MIN", exp.Max: "MAX",
}  # fmt: skip
_FUNCTIONS = (
    exp.Upper, exp.Lower, exp.Length, exp.Round, exp.Abs, exp.Substring, exp.Trim, exp.Nullif,
    exp.StrPosition, exp.TimeToStr, exp.TsOrDsToTimestamp, exp.Greatest, exp.Least, exp.Date,
)  # fmt: skip
_NAMED_FUNCTIONS = frozenset(
    {"JULIANDAY", "STRFTIME", "DATE", "DATETIME", "TIME", "REPLACE", "INSTR", "TYPEOF", "PRINTF"}
)
_CAST_AFFINITY = {
    "INT": "integer", "BIGINT": "integer", "SMALLINT": "integer", "TINYINT": "integer",
    "DOUBLE": "real", "FLOAT": "real", "TEXT": "text", "VARCHAR": "text", "CHAR": "text",
    "DECIMAL": "numeric",
}  # fmt: skip
_PREDICATES: tuple[type[exp.Expr], ...] = (
    exp.Connector, exp.Not, exp.In, exp.Between, exp.Like, exp.Glob, exp.Is, exp.Escape,
    exp.NullSafeEQ, exp.NullSafeNEQ, *_COMPARISONS,
)  # fmt: skip
_NUMBER = re.compile(r"\d{1,15}(\.\d{0,15})?|\.\d{1,15}")


class ScalarReader(ABC):
    """Reads expressions; how a nested query is read is left to the reader of queries."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._scopes: list[tuple[NameScope, CommonTables]] = []

    @abstractmethod
    def query(
        self, node: exp.Expr, scope: NameScope | None, ctes: CommonTables
    ) -> tuple[Query, list[str]]:
        """Return a query and the names of its result columns."""

    def _enter(self, scope: NameScope, ctes: CommonTables) -> None:
        self._scopes.append((scope, ctes))

    def _leave(self) -> None:
        self._scopes.pop()

    def value(self, node: exp.Expr) -> Expression:
        """Return the expression of a node. Raises Untranslatable for what is not known."""
        node = unwrap(node)
        found = self._leaf(node)
        if found is None:
            found = self._condition(node)
        if found is None:
            found = self._aggregate(node)
        return self._function(node) if found is None else found

    def _leaf(self, node: exp.Expr) -> Expression | None:
        if isinstance(node, exp.Column):
            return self._column(node)
        if isinstance(node, exp.Literal):
            return ("str", node.name) if node.is_string else number(node.name)
        if isinstance(node, exp.Null):
            return NULL
        if isinstance(node, exp.Boolean):
            return ONE if node.this else ("num", "0")
        if isinstance(node, exp.Neg):
            inner = self._operand(node.this)
            if inner[0] == "num" and not inner[1].startswith("-"):
                return inner if inner[1] in ("0", "0.0") else ("num", f"-{inner[1]}")
            return ("fn", "-", (inner,))
        operator = _ARITHMETIC.get(type(node))
        if operator is not None:
            return ("arith", operator, self._operand(node.this), self._operand(node.expression))
        if isinstance(node, exp.DPipe):
            for side in (node.this, node.expression):
                if isinstance(side, exp.Neg) or type(side) in _ARITHMETIC:
                    raise Untranslatable("|| beside arithmetic")
            return ("fn", "||", (self._operand(node.this), self._operand(node.expression)))
        return None

    def _operand(self, node: exp.Expr) -> Expression:
        """Return an operand, and refuse what SQLite's precedence may read in another way."""
        if isinstance(node, _PREDICATES):
            raise Untranslatable("a comparison of a comparison without brackets")
        return self.value(node)

    def _column(self, node: exp.Column) -> Expression:
        if not isinstance(node.this, exp.Identifier) or node.text("db"):
            raise Untranslatable("column")
        scope, _ = self._scopes[-1]
        found = scope.find(node.name.casefold(), node.table.casefold() or None)
        if found is not None:
            return found
        start = node.this.meta.get("start", -1)
        if not node.table and node.this.args.get("quoted") and self._text[start : start + 1] == '"':
            return ("str", node.name)  # SQLite takes an unknown name in double quotes for a text
        raise Untranslatable(f"no column {node.name}")

    def _condition(self, node: exp.Expr) -> Expression | None:
        operator = _COMPARISONS.get(type(node))
        if operator is not None:
            return ("cmp", operator, self._operand(node.this), self._operand(node.expression))
        if isinstance(node, (exp.And, exp.Or)):
            kind = "and" if isinstance(node, exp.And) else "or"
            return (kind, (self.value(node.this), self.value(node.expression)))
        if isinstance(node, exp.Not):
            return ("not", self.value(node.this))
        if isinstance(node, exp.Is):
            if not isinstance(node.expression, exp.Null):
                raise Untranslatable("IS")
            return ("isnull", self._operand(node.this))
        if isinstance(node, (exp.NullSafeEQ, exp.NullSafeNEQ)):
            same = ("is", self._operand(node.this), self._operand(node.expression))
            return same if isinstance(node, exp.NullSafeEQ) else ("not", same)
        if isinstance(node, exp.Between):
            _known(node, {"this", "low", "high"})
            value = repeatable(self._operand(node.this))
            low = ("cmp", ">=", value, self._operand(node.args["low"]))
            return ("and", (low, ("cmp", "<=", value, self._operand(node.args["high"]))))
        if isinstance(node, exp.In):
            return self._in(node)
        if isinstance(node, exp.Exists):
            _known(node, {"this"})
            return ("exists", self._nested(node.this))
        return self._pattern(node)

    def _pattern(self, node: exp.Expr) -> Expression | None:
        escape: tuple[Expression, ...] = ()
        if isinstance(node, exp.Escape):
            escape = (self.value(node.expression),)
            node = node.this
        name = _PATTERNS.get(type(node))
        if name is None:
            return None
        _known(node, {"this", "expression", "negate"})
        arguments = (self._operand(node.this), self._operand(node.expression), *escape)
        found: Expression = ("fn", name, arguments)
        return ("not", found) if node.args.get("negate") else found

    def _nested(self, node: exp.Expr) -> Query:
        scope, ctes = self._scopes[-1]
        return self.query(node, scope, ctes)[0]

    def _in(self, node: exp.In) -> Expression:
        _known(node, {"this", "expressions", "query"})
        left = unwrap(node.this)
        nested = node.args.get("query")
        if nested is not None:
            several = left.expressions if isinstance(left, exp.Tuple) else [node.this]
            values = tuple(self._operand(part) for part in several)
            query = self._nested(nested)
            if width(query) != len(values):
                raise Untranslatable("IN of another width")
            return ("insub", values, query)
        value = self._operand(node.this)
        items = [self._operand(part) for part in node.expressions]
        if not items or any(affinity_of(item) is not None for item in items):
            # Inside a list a column loses its affinity, so that it is no comparison with it.
            raise Untranslatable("IN of columns")
        if len(items) > 1:
            repeatable(value)
        equal = tuple(("cmp", "=", value, item) for item in items)
        return equal[0] if len(equal) == 1 else ("or", equal)

    def _aggregate(self, node: exp.Expr) -> Expression | None:
        name = _AGGREGATES.get(type(node))
        if name is None:
            return None
        if isinstance(node, (exp.Max, exp.Min)) and node.expressions:
            raise Untranslatable("MAX of several")
        _known(
            node,
            {"this", "big_int", "expressions"} - ({"expressions"} if node.expressions else set()),
        )
        argument = node.this
        if isinstance(argument, exp.Star):
            if name != "COUNT":
                raise Untranslatable("aggregate of *")
            return ("agg", name, False, None)
        distinct = isinstance(argument, exp.Distinct)
        if distinct:
            _known(argument, {"expressions"})
            if len(argument.expressions) != 1:
                raise Untranslatable("DISTINCT of several")
            argument = argument.expressions[0]
        if argument is None:
            raise Untranslatable("aggregate of nothing")
        value = self.value(argument)
        scope, _ = self._scopes[-1]
        used = relations_in(value)
        if used and used.isdisjoint(relation for _, relation in scope.sources):
            raise Untranslatable("an aggregate of an outer query")
        return ("agg", name, distinct, value)

    def _function(self, node: exp.Expr) -> Expression:
        if isinstance(node, exp.Subquery):
            query = self._nested(node)
            if width(query) != 1:
                raise Untranslatable("a row as a value")
            return ("scalar", query)
        if isinstance(node, exp.Case):
            return self._case(node)
        if isinstance(node, exp.If):
            otherwise = node.args.get("false")
            branch = (self.value(node.this), self.value(node.args["true"]))
            return ("case", (branch,), NULL if otherwise is None else self.value(otherwise))
        if isinstance(node, exp.Cast):
            _known(node, {"this", "to"})
            affinity = _CAST_AFFINITY.get(node.to.this.name)
            if affinity is None:
                raise Untranslatable("CAST")
            return ("cast", affinity, self.value(node.this))
        if isinstance(node, exp.Coalesce):
            _known(node, {"this", "expressions"})
            return ("fn", "COALESCE", tuple(map(self.value, (node.this, *node.expressions))))
        if isinstance(node, exp.Anonymous):
            if node.name.upper() not in _NAMED_FUNCTIONS:
                raise Untranslatable(node.name)
            return ("fn", node.name.upper(), tuple(map(self.value, node.expressions)))
        if isinstance(node, _FUNCTIONS):
            return self._generic(node)
        raise Untranslatable(type(node).__name__)

    def _generic(self, node: exp.Expr) -> Expression:
        arguments: list[Expression] = []
        name = type(node).__name__.upper()
        for key in sorted(node.args):
            value = node.args[key]
            if isinstance(value, exp.Expr):
                name += f" {key}"
                arguments.append(self.value(value))
            elif isinstance(value, list):
                name += f" {key}*{len(value)}"
                arguments += [self.value(part) for part in value]
            elif value:
                name += f" {key}={value}"
        return ("fn", name, tuple(arguments))

    def _case(self, node: exp.Case) -> Expression:
        _known(node, {"this", "ifs", "default"})
        subject = None if node.this is None else repeatable(self.value(node.this))
        branches = []
        for branch in node.args["ifs"]:
            condition = self.value(branch.this)
            if subject is not None:
                condition = ("cmp", "=", subject, condition)
            branches.append((condition, self.value(branch.args["true"])))
        default = node.args.get("default")
        return ("case", tuple(branches), NULL if default is None else self.value(default))


def number(text: str) -> Expression:
    """Return a number as written, without zeros that do not matter; 5 and 5.0 stay two."""
    if not _NUMBER.fullmatch(text):
        raise Untranslatable(f"number {text}")
    if "." not in text:
        return ("num", str(int(text)))
    whole, _, digits = format(Decimal(text), "f").partition(".")
    return ("num", f"{int(whole or 0)}.{digits.rstrip('0') or '0'}")


def _known(node: exp.Expr, known: set[str]) -> None:
    for key, value in node.args.items():
        if value and key not in known and not key.startswith("_"):
            raise Untranslatable(f"{type(node).__name__} with {key}")
