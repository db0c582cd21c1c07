"""Formulas of the evidence as expressions, and what a query's calculations make of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from clausewise.signals.linking.columns import is_column
from clausewise.sql.calculations import calculations
from clausewise.sql.model import Piece, Query

if TYPE_CHECKING:
    from clausewise.databases.model import Schema
    from clausewise.question.evidence import EvidenceStatement
    from clausewise.signals.context import Context
    from clausewise.signals.linking.constants import QueryFacts

_CALLED = {"divide": "/", "subtract": "-", "multiply": "*", "add": "+"}
_AGGREGATES = frozenset({"avg", "average", "count", "max", "min", "sum"})
_CALL = re.compile(r"\s*([A-Za-z]+)\s*\(")
_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_NAME = re.compile(r"(?<![\w.'\"])(?:[^\W\d]\w*\.)?([^\W\d]\w*)(?!\w|\s*\(|['\"])")
_CONDITION = re.compile(r"[=<>]|\b(?:where|when|like|between|is)\b", re.IGNORECASE)
_COUNTING = frozenset({"COUNT", "SUM", "TOTAL"})
_CONDITIONS = ("=", "<>", "<", "<=", ">", ">=", "WHERE", "WHEN", "LIKE", "BETWEEN", "IS")
_LOOSE, _TIGHT = "+-", "*/"
_LONGEST = 500
"""Characters of a text that is read as a formula; each operator and bracket nests one call."""


@dataclass(frozen=True, slots=True)
class Formula:
    """`operator` of `parts` for arithmetic, an aggregate of its one argument, or a plain `text`.

    `operator` is one of `+ - * /`, the name of an aggregate in lower case, or empty.
    """

    operator: str
    parts: tuple[Formula, ...]
    text: str

    def walk(self) -> Iterator[Formula]:
        """Yield the formula and all formulas in it, outermost first."""
        yield self
        for part in self.parts:
            yield from part.walk()


@lru_cache(maxsize=4_096)
def read_formula(text: str) -> Formula:
    """Read `DIVIDE(SUM(a), COUNT(b)) * 100` and the like; never fails.

    A text of over 500 characters is taken as it is.

    >>> formula = read_formula("SUM(a = 'x') / COUNT(b)")
    >>> formula.operator, [part.operator for part in formula.parts], formula.parts[1].parts[0].text
    ('/', ['sum', 'count'], 'b')
    """
    if len(text) > _LONGEST:
        return Formula("", (), text)
    text = _without_brackets(text.strip())
    for operators in (_LOOSE, _TIGHT):
        at = _last_operator(text, operators)
        if at > 0:
            sides = text[:at], text[at + 1 :]
            return Formula(text[at], tuple(map(read_formula, sides)), text)
    match = _CALL.match(text)
    if match is None or _closing(text, match.end() - 1) != len(text) - 1:
        return Formula("", (), text)
    name, inside = match[1].lower(), text[match.end() : -1]
    if name in _CALLED:
        parts = tuple(map(read_formula, _split(inside)))
        return parts[0] if len(parts) == 1 else Formula(_CALLED[name], parts, text)
    if name in _AGGREGATES:
        return Formula(name.replace("average", "avg"), (read_formula(inside),), text)
    return Formula("", (), text)


def _without_brackets(text: str) -> str:
    while text[:1] == "(" and _closing(text, 0) == len(text) - 1:
        text = text[1:-1].strip()
    return text


def _depths(text: str) -> Iterator[tuple[int, str, int]]:
    """Yield (position, character, depth of brackets) of everything outside quotes."""
    depth, quote = 0, ""
    for at, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
            continue
        if character in "'\"":
            quote = character
        elif character == ")":
            depth -= 1
        yield at, character, depth
        if character == "(":
            depth += 1


def _closing(text: str, opening: int) -> int:
    for at, character, depth in _depths(text):
        if at > opening and character == ")" and depth == 0:
            return at
    return -1


def _split(text: str) -> list[str]:
    """Split a call's arguments at their commas."""
    cuts = [-1, *(at for at, character, depth in _depths(text) if character == "," and not depth)]
    return [
        text[first + 1 : last] for first, last in zip(cuts, [*cuts[1:], len(text)], strict=True)
    ]


def _last_operator(text: str, operators: str) -> int:
    """Return where the last such operator outside brackets stands between operands, or -1."""
    found = -1
    for at, character, depth in _depths(text):
        if depth or character not in operators:
            continue
        before = text[:at].rstrip()[-1:]
        spaced = character != "-" or text[at + 1 : at + 2] in (" ", "(") or before == ")"
        if before and spaced and before not in "+-*/=<>(,":
            found = at
    return found


def marks(formula: Formula, schema: Schema) -> frozenset[str]:
    """Return what identifies an operand in any query: quoted values and columns, casefolded."""
    quoted = {(one or two).casefold().strip() for one, two in _QUOTED.findall(formula.text)}
    plain = _QUOTED.sub(" ", formula.text)
    columns = {name.casefold() for name in _NAME.findall(plain) if is_column(schema, name)}
    return frozenset(quoted | columns) - {""}


def swapped(formula: Formula, query: Query, schema: Schema) -> Piece | None:
    """Return the calculation of the query that has the operands of `-` or `/` the other way round.

    Found only where each operand has marks of its own and each side of the calculation those of
    one operand and not of the other, or where one operand counts under a condition and the other
    counts all.
    """
    for node in formula.walk():
        if node.operator not in ("-", "/") or len(node.parts) != 2:
            continue
        for made in calculations(query):
            sides = _OperandFacts(made.left, query), _OperandFacts(made.right, query)
            if made.operator == node.operator and (
                _marked_the_other_way(node, sides, schema)
                or _conditional_the_other_way(node, sides)
            ):
                return made.piece
    return None


@dataclass(frozen=True, slots=True)
class _OperandFacts:
    """One operand of a calculation in the query."""

    piece: Piece
    query: Query

    def has(self, wanted: frozenset[str]) -> bool:
        """Whether one of the marks is a column or a word of a constant in the operand."""
        parts = [*self._columns(), *self._constants()]
        patterns = [re.compile(rf"(?<!\w){re.escape(mark)}(?!\w)") for mark in wanted]
        return any(pattern.search(part) for pattern in patterns for part in parts)

    def _columns(self) -> Iterator[str]:
        for select in self.query.selects:
            for use in select.columns:
                if self.piece.start <= use.piece.start < self.piece.end:
                    yield (use.column or use.name).casefold()

    def _constants(self) -> Iterator[str]:
        for select in self.query.selects:
            for literal in select.literals:
                if self.piece.start <= literal.piece.start < self.piece.end:
                    yield literal.piece.text.casefold()

    @property
    def counts(self) -> bool:
        """Whether something is counted or summed, and no sub-query stands in the operand."""
        called = {call.function for call in self.query.calls_in(self.piece)}
        return bool(called & _COUNTING) and not self.query.has_keyword_in(self.piece, "SELECT")

    @property
    def conditional(self) -> bool:
        """Whether a condition stands in the operand."""
        return self.query.has_keyword_in(self.piece, *_CONDITIONS)


def _marked_the_other_way(
    node: Formula, sides: tuple[_OperandFacts, _OperandFacts], schema: Schema
) -> bool:
    left, right = (marks(part, schema) for part in node.parts)
    left, right = left - right, right - left
    if sides[0].has(left) or sides[1].has(right):
        return False
    return sides[0].has(right) and sides[1].has(left)


def _conditional_the_other_way(node: Formula, sides: tuple[_OperandFacts, _OperandFacts]) -> bool:
    if any(part.operator not in ("count", "sum") for part in node.parts):
        return False
    wanted = [bool(_CONDITION.search(part.text)) for part in node.parts]
    made = [side.conditional for side in sides]
    # a sub-query's conditions, and those of WHERE around the other side, are not in the text alone
    counts = all(side.counts for side in sides)
    return counts and wanted[0] != wanted[1] and wanted == made[::-1]


@dataclass(frozen=True, slots=True)
class Fault:
    """How a query departs from a formula. `place` is the calculation at fault where one is."""

    reason: str
    wanted: str
    place: Piece | None = None


def formula_faults(
    statement: EvidenceStatement, context: Context, facts: QueryFacts
) -> Iterator[Fault]:
    """Yield where the query's calculations are not those of the evidence, the plainest only."""
    formula = read_formula(statement.meaning)
    lacking = _lacking(statement, formula, context, facts)
    if lacking is not None:
        yield lacking
        return
    turned = swapped(formula, context.query, context.schema)
    if turned is not None:
        yield Fault("operands", statement.meaning, turned)
    elif _wants_hundred(formula) and 100.0 not in facts.numbers:
        yield Fault("hundred", statement.meaning)
    yield from _other_columns(formula, context, facts)


def _lacking(
    statement: EvidenceStatement, formula: Formula, context: Context, facts: QueryFacts
) -> Fault | None:
    """Return the outermost operation of the formula where the query has nothing for it."""
    there = {
        "/": facts.calculates("/") or facts.calls("avg"),
        "-": facts.calculates("-"),
        "avg": facts.calls("avg") or facts.calculates("/"),
        "sum": facts.calls("sum", "count", "total", "avg") or facts.calculates("+"),
        "count": facts.calls("count", "sum", "avg"),
    }
    operator = _outermost(statement, formula, context)
    if there.get(operator, True):
        return None
    strong = operator in ("/", "-", "avg")
    return Fault("formula" if strong else "formula_count", statement.meaning)


def _outermost(statement: EvidenceStatement, formula: Formula, context: Context) -> str:
    """Return the first operation that is no product, which a scale of 100 often is."""
    for node in formula.walk():
        if node.operator not in ("", "*") and (
            node.operator in _AGGREGATES or _is_calculation(node, context)
        ):
            return node.operator
    called = (_CALLED.get(call.function, call.function) for call in statement.calls)
    name = next((name for name in called if name != "*"), "")
    return "avg" if name == "average" else name


def _is_calculation(node: Formula, context: Context) -> bool:
    """Whether both sides of an operator speak of the data: no hyphen, no `and/or`."""
    return len(node.parts) == 2 and all(
        part.operator or marks(part, context.schema) for part in node.parts
    )


def _wants_hundred(formula: Formula) -> bool:
    return any(
        node.operator == "*" and any(part.text.strip() in ("100", "100.0") for part in node.parts)
        for node in formula.walk()
    )


def _other_columns(formula: Formula, context: Context, facts: QueryFacts) -> Iterator[Fault]:
    """Yield the columns that should be summed or averaged where only others are."""
    made = [
        aggregate
        for select in facts.query.selects
        for aggregate in select.aggregates
        if aggregate.function in ("avg", "sum", "total") and aggregate.columns
    ]
    for column in sorted(averaged(formula, context.schema)):
        if column not in facts.column_names:
            yield Fault("column", column)
        elif made and not any(
            (use.column or use.name).casefold() == column
            for aggregate in made
            for use in aggregate.columns
        ):
            piece = made[0].piece
            known = all(use.column is not None for aggregate in made for use in aggregate.columns)
            if known:
                yield Fault("aggregated", column, piece)


def averaged_or_calculated(text: str, schema: Schema) -> bool:
    """Whether a text is a formula over columns, with or without functions: `population / area`."""
    formula = read_formula(text)
    return len(formula.parts) == 2 and all(
        any(marks(node, schema) for node in part.walk()) for part in formula.parts
    )


def averaged(formula: Formula, schema: Schema) -> frozenset[str]:
    """Return the columns, casefolded, that the formula sums or averages themselves: `AVG(points)`.

    Conditions that are counted (`SUM(gender = 'F')`) and anything else around a name are no such.
    """
    return frozenset(
        node.parts[0].text.strip().rpartition(".")[2].casefold()
        for node in formula.walk()
        if node.operator in ("avg", "sum") and is_column(schema, node.parts[0].text.strip())
    )
