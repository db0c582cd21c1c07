"""What a query says, flattened for comparison with a question: constants, numbers, columns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from clausewise.sql.calculations import Calculation, calculations
from clausewise.sql.model import ColumnUse, Comparison, Literal, Piece, Query

if TYPE_CHECKING:
    from clausewise.signals.context import Context

NUMBER = re.compile(r"\d+(?:\.\d+)?")
"""A number without sign, as it stands in a text."""
_STEPS = {">": 1, ">=": -1, "<": -1, "<=": 1, "BETWEEN": -1, "AND": 1, "OFFSET": 1}
"""What to add to the number right of an operator for the one that the opposite form would hold."""


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
        """Return the numbers of a constant, with the neighbors that its comparison makes equal.

        Over whole numbers `> 4` is `>= 5`, `< 10` is `<= 9`, and bounds of BETWEEN count as `>=`
        and `<=`; an OFFSET counts from 0. Under any other operator a number is only itself.
        """
        if isinstance(literal.value, bool) or literal.value is None:
            return frozenset()
        parts = {float(part) for part in NUMBER.findall(str(literal.value))}
        step = _STEPS.get(literal.operator, 0)
        return frozenset(parts | {part + step for part in parts})

    @cached_property
    def columns(self) -> tuple[ColumnUse, ...]:
        """Every mention of a column in the query."""
        return tuple(column for select in self.query.selects for column in select.columns)

    @cached_property
    def column_names(self) -> frozenset[str]:
        """The names of all columns mentioned, casefolded, without their tables."""
        return frozenset((use.column or use.name).casefold() for use in self.columns)

    @cached_property
    def _arithmetic(self) -> tuple[Calculation, ...]:
        return calculations(self.query)

    def calculates(self, *operators: str, within: Piece | None = None) -> bool:
        """Whether one of `+ - * / %` is applied, anywhere or within a piece of the query."""
        return any(
            made.operator in operators
            and (within is None or within.start <= made.piece.start < within.end)
            for made in self._arithmetic
        )

    @cached_property
    def comparison_at(self) -> Mapping[int, Comparison]:
        """The comparison that each constant belongs to, by the constant's offset."""
        found: dict[int, Comparison] = {}
        for select in self.query.selects:
            for comparison in select.comparisons:
                for literal in comparison.literals:
                    found.setdefault(literal.piece.start, comparison)
        return found

    def comparison_of(self, literal: Literal) -> Comparison | None:
        """Return the comparison of a column that the constant belongs to, None where none is."""
        return self.comparison_at.get(literal.piece.start)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every name in the query, casefolded: columns, tables and aliases."""
        found = [use.name for use in self.columns]
        for select in self.query.selects:
            found.extend(name for source in select.sources for name in (source.name, source.alias))
            found.extend(item.alias for item in select.projections if item.alias)
        return tuple(name.casefold() for name in found)

    def mentions(self, text: str) -> bool:
        """Whether a constant or a name of the query holds the text, in any case."""
        folded = text.casefold()
        return any(folded in literal.piece.text.casefold() for literal in self.literals) or any(
            folded in name for name in self.names
        )

    def calls(self, *functions: str) -> bool:
        """Whether one of the functions is called; lower case."""
        called = {name.lower() for name in self.query.functions}
        called.update(a.function for select in self.query.selects for a in select.aggregates)
        return any(function in called for function in functions)


def fold(text: str) -> str:
    """Return a text as values are compared: lower case, single blanks, no wildcards around."""
    return " ".join(text.casefold().split()).strip("%_ ")


def _facts(context: Context) -> QueryFacts:
    return QueryFacts(context.query)


def facts_of(context: Context) -> QueryFacts:
    """Return the flattened facts of the context's query, computed once."""
    return context.once(_facts)
