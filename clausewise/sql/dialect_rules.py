"""What of each dialect is known to mean the same in DuckDB; everything else is refused.

The lists name nodes of sqlglot's tree. They were drawn up by hand for PostgreSQL 16, MySQL 8.4 and
DuckDB, and tried in DuckDB against SQLite, not against servers of the first two. What depends on
types or values is decided in `typed_rules` and `collations`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

_STRUCTURE: frozenset[type[exp.Expr]] = frozenset(
    {
        *(exp.Select, exp.From, exp.Join, exp.Where, exp.Group, exp.Having, exp.Order, exp.Ordered),
        *(exp.Limit, exp.Offset, exp.Distinct, exp.Alias, exp.Column, exp.Identifier, exp.Table),
        *(exp.TableAlias, exp.Star, exp.Literal, exp.Boolean, exp.Null, exp.Paren, exp.Subquery),
        *(exp.With, exp.CTE, exp.Union, exp.Intersect, exp.Except, exp.Tuple),
    }
)
_CONDITIONS: frozenset[type[exp.Expr]] = frozenset(
    {
        *(exp.And, exp.Or, exp.Not, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Is),
        *(exp.In, exp.Exists, exp.Between, exp.Like, exp.Case, exp.If),
    }
)
_VALUES: frozenset[type[exp.Expr]] = frozenset(
    {
        *(exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg, exp.Count, exp.Sum, exp.Min, exp.Max),
        *(exp.Coalesce, exp.Nullif, exp.Abs, exp.Length, exp.Cast, exp.DataType),
    }
)
_SHARED = _STRUCTURE | _CONDITIONS | _VALUES
_STANDARD: frozenset[type[exp.Expr]] = frozenset(
    {
        *(exp.Avg, exp.Lower, exp.Upper, exp.Substring, exp.DPipe, exp.ILike, exp.Mod, exp.Filter),
        *(exp.NullSafeEQ, exp.NullSafeNEQ, exp.Extract, exp.Var),
    }
)
_OWN: frozenset[type[exp.Expr]] = frozenset(
    {
        *(exp.IntDiv, exp.Round, exp.Floor, exp.Ceil, exp.Trim, exp.Concat, exp.Replace, exp.Sign),
        *(exp.Greatest, exp.Least, exp.TryCast, exp.Year, exp.Month, exp.Day, exp.Pow, exp.Sqrt),
        *(exp.DataTypeParam, exp.Left, exp.Right, exp.StrPosition, exp.StartsWith, exp.DateDiff),
        *(exp.Interval, exp.TimestampTrunc, exp.DateTrunc, exp.Quarter, exp.IntervalSpan),
        *(exp.Median, exp.Stddev, exp.StddevPop, exp.Variance, exp.VariancePop, exp.CountIf),
    }
)


@dataclass(frozen=True, slots=True)
class DialectRules:
    """What is taken of one dialect."""

    allowed: frozenset[type[exp.Expr]]
    reasons: Mapping[type[exp.Expr], str]
    """Why a node is refused, where there is more to say than that it was not examined."""
    is_native: bool = False
    """Whether the engine speaks the dialect itself, so that nothing is transpiled."""


_WINDOW = "ties in the order of a window are not examined"
_CLOCK = "its value changes from run to run"
_COMMON_REASONS: dict[type[exp.Expr], str] = {
    exp.Window: _WINDOW,
    exp.Rand: _CLOCK,
    exp.CurrentDate: _CLOCK,
    exp.CurrentTimestamp: _CLOCK,
    exp.CurrentTime: _CLOCK,
    exp.ArrayAgg: "its value depends on the order of rows",
    exp.GroupConcat: "its value depends on the order of rows",
    exp.First: "its value depends on the order of rows",
    exp.AnyValue: "its value depends on the order of rows",
    exp.TableSample: _CLOCK,
}
RULES: Mapping[str, DialectRules] = {
    "duckdb": DialectRules(_SHARED | _STANDARD | _OWN, _COMMON_REASONS, is_native=True),
    "postgres": DialectRules(
        _SHARED | _STANDARD,
        {
            **_COMMON_REASONS,
            exp.Round: "halves are rounded by other rules for each type",
            exp.Concat: "NULL is left out, unlike with ||",
            exp.TimestampTrunc: "the result has a time zone or not, depending on the type",
            exp.TimeToStr: "formats differ",
            exp.ToChar: "formats differ",
            exp.Interval: "arithmetic with dates gives other types",
        },
    ),
    "mysql": DialectRules(
        _SHARED | {exp.Year, exp.Month, exp.Day, exp.TsOrDsToDate},
        {
            **_COMMON_REASONS,
            exp.Avg: "the mean of whole numbers keeps four decimals only",
            exp.Lower: "texts are compared without regard to case",
            exp.Upper: "texts are compared without regard to case",
            exp.Substring: "texts are compared without regard to case",
            exp.Concat: "texts are compared without regard to case",
            exp.DPipe: "it means OR, or joins texts, depending on a setting of the server",
            exp.Mod: "operands are converted to numbers",
            exp.Xor: "it is not standard",
        },
    ),
}
"""The dialects that can be compared in DuckDB."""
EXTRACTED = frozenset({"YEAR", "MONTH", "DAY"})
"""Parts of a date that EXTRACT may give."""


_NAMES: dict[type[exp.Expr], str] = {
    exp.TimeToStr: "a date as text",
    exp.TimestampTrunc: "DATE_TRUNC",
    exp.Rand: "RANDOM",
    exp.NullSafeEQ: "<=>",
    exp.Window: "OVER",
}


def described(node: exp.Expr) -> str:
    """Return a node as a person calls it: the function's or the construct's name.

    >>> described(exp.Round(this=exp.column("a")))
    'ROUND'
    """
    if isinstance(node, exp.Anonymous):
        return node.name.upper()
    if type(node) in _NAMES:
        return _NAMES[type(node)]
    if isinstance(node, exp.Func):
        return node.sql_name()
    return type(node).__name__.upper()
