"""What a query says, flattened for comparison with a question: constants, numbers, columns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from clausewise.sql.model import ColumnUse, Literal, Query
from clausewise.types import Clause

if TYPE_CHECKING:
    from clausewise.signals.context import Context

NUMBER = re.compile(r"\d+(?:\.\d+)?")
"""A number without sign, as it stands in a text."""
_STEPS = {">": 1, ">=": -1, "<": -1, "<=": 1}
"""What to add to the number right of an operator for the one that the opposite form would hold."""
_OPERATOR_BEFORE = re.compile(r"(?<!<)(?:>=?|<=?)$")
_OPERATOR_AFTER = re.compile(r"(?:>=?|<=?)(?!>)")
_BETWEEN = re.compile(r"\bbetween$", re.IGNORECASE)
_BETWEEN_AND = re.compile(r"\bbetween\s+\S+\s+and$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant of the query: `folded` in lower case, blanks and wildcards trimmed."""

    literal: Literal
    folded: str


class QueryFacts:
    """Constants, numbers, columns and functions of all SELECTs of one query together."""

    def __init__(self, query: Query) -> None:
        self.query = query

    @cached_property
    def literals(self) -> tuple[Literal, ...]:
        """Every constant in text order, those of LIMIT and of positions (`ORDER BY 1`) too."""
        found = [literal for select in self.query.selects for literal in select.literals]
        return tuple(sorted(found, key=lambda literal: literal.piece.start))

    @cached_property
    def texts(self) -> tuple[Constant, ...]:
        """The text constants, names in double quotes that are no column's included."""
        found = [
            Constant(literal, fold(str(literal.value)))
            for literal in self.literals
            if isinstance(literal.value, str)
        ]
        return tuple(found)

    @cached_property
    def numbers(self) -> frozenset[float]:
        """Every number in the query's constants, parts of dates and texts included."""
        found: set[float] = set()
        for literal in self.literals:
            if isinstance(literal.value, bool) or literal.value is None:
                continue
            found.update(float(part) for part in NUMBER.findall(str(literal.value)))
        return frozenset(found)

    @cached_property
    def stated(self) -> frozenset[float]:
        """Every number that a constant may stand for: `> 4` also says "at least 5"."""
        return frozenset().union(*(self.meanings(literal) for literal in self.literals))

    def meanings(self, literal: Literal) -> frozenset[float]:
        """Return the numbers of a constant, with the neighbours that its comparison makes equal.

        Over whole numbers `> 4` is `>= 5`, `< 10` is `<= 9`, and bounds of BETWEEN count as `>=`
        and `<=`; an OFFSET counts from 0. Under any other operator a number is only itself.
        """
        if isinstance(literal.value, bool) or literal.value is None:
            return frozenset()
        parts = {float(part) for part in NUMBER.findall(str(literal.value))}
        return frozenset(parts | {part + self._step(literal) for part in parts})

    def _step(self, literal: Literal) -> int:
        """Return which neighbour the comparison around a constant makes equal, 0 for none."""
        before = self.query.text[: literal.piece.start].rstrip("( \t\r\n")
        after = self.query.text[literal.piece.end :].lstrip(") \t\r\n")
        if literal.clause is Clause.LIMIT:
            return int(before.casefold().endswith("offset") or after.startswith(","))
        operator = _OPERATOR_BEFORE.search(before)
        if operator is not None:
            return _STEPS[operator.group()]
        if _BETWEEN.search(before):
            return -1
        if _BETWEEN_AND.search(before):
            return 1
        operator = _OPERATOR_AFTER.match(after)
        return -_STEPS[operator.group()] if operator is not None else 0

    @cached_property
    def columns(self) -> tuple[ColumnUse, ...]:
        """Every mention of a column in the query."""
        return tuple(column for select in self.query.selects for column in select.columns)

    @cached_property
    def column_names(self) -> frozenset[str]:
        """The names of all columns mentioned, casefolded, without their tables."""
        return frozenset((use.column or use.name).casefold() for use in self.columns)

    @cached_property
    def outside(self) -> str:
        """The query in lower case with every constant but NULL blanked out."""
        text = self.query.text
        for literal in reversed(self.literals):
            if literal.value is None:
                continue
            start, end = literal.piece.start, literal.piece.end
            text = text[:start] + " " * (end - start) + text[end:]
        return text.lower()

    def calls(self, *functions: str) -> bool:
        """Whether one of the functions is called; lower case."""
        called = {name.lower() for name in self.query.functions}
        called.update(a.function for select in self.query.selects for a in select.aggregates)
        return any(function in called for function in functions)

    def has_clause(self, *kinds: Clause) -> bool:
        """Whether any SELECT has a clause of one of these kinds."""
        return any(clause.kind in kinds for clause in self.query.clauses)


def fold(text: str) -> str:
    """Return a text as values are compared: lower case, single blanks, no wildcards around."""
    return " ".join(text.casefold().split()).strip("%_ ")


_FACTS: WeakKeyDictionary[Context, QueryFacts] = WeakKeyDictionary()


def facts_of(context: Context) -> QueryFacts:
    """Return the flattened facts of the context's query, computed once."""
    found = _FACTS.get(context)
    if found is None:
        found = _FACTS[context] = QueryFacts(context.query)
    return found
