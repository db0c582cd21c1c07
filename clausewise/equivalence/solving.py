"""Rows that meet conditions, or just miss one, where chance would not find them: solved by z3.

One symbolic row stands for each table that a SELECT mentions. NULL, sub-queries and aggregates are
not modelled: conditions with them are left out, and what the solver finds is run like any other
instance, so an imprecise model costs a try and never an answer. The solver is the extra
`clausewise[equivalence]`.
"""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from clausewise.databases import Cell
from clausewise.databases.instances import Instance
from clausewise.equivalence.generation import InstanceGenerator
from clausewise.equivalence.generation.filling import Part
from clausewise.equivalence.generation.kinds import ColumnKind
from clausewise.equivalence.generation.witnesses import gathered
from clausewise.equivalence.plan import Plan
from clausewise.equivalence.proof import table_facts
from clausewise.errors import ParseError
from clausewise.sql.canonical import Untranslatable, select_blocks
from clausewise.sql.canonical.conditions import conjuncts
from clausewise.sql.canonical.model import Expression, Relation, SelectBlock

MOST_SOLVED = 40
"""Systems of conditions that are solved for one comparison."""
_EFFORT = 400_000
"""What one system may cost, in the solver's own deterministic units."""
_LONGEST_TEXT = 12
_DEFAULT_RANGE = 100

Term = Any
"""A term or a condition of z3, which has no types."""
Slot = tuple[int, str]
"""The number of a row and a folded column name."""


class _NotModelled(Exception):
    """A condition that holds something which is not modelled here."""


def is_available() -> bool:
    """Whether the solver is installed."""
    return importlib.util.find_spec("z3") is not None


def solved(plan: Plan, generator: InstanceGenerator) -> Iterator[Instance]:
    """Yield instances of which the rows meet the conditions of the queries in various ways.

    For each SELECT: all of its conditions; all but one; all, with both sides of one comparison
    equal; all, and not one of those of the other queries over the same tables. The same instances
    come for the same plan. Raises ImportError where the solver is not installed.
    """
    facts = table_facts(plan.schema)
    blocks: list[SelectBlock] = []
    for query in plan.queries:
        try:
            blocks += select_blocks(query.text, facts)
        except (Untranslatable, ParseError, RecursionError):
            continue
    systems = [_System(block, generator) for block in blocks if block.relations]
    tried = 0
    for system in systems:
        others = [other for other in systems if other is not system]
        for goal in system.goals(others):
            if tried >= MOST_SOLVED:
                return
            tried += 1
            part = system.solution(goal)
            found = None if part is None else generator.completed(gathered([part]))
            if found is not None:
                yield found


@dataclass(slots=True)
class _Encoding:
    """Turns expressions into terms over the rows of one SELECT."""

    numbers: dict[int, int]
    """The identity of a relation to the number of its row."""
    kinds: dict[Slot, ColumnKind]
    terms: dict[Slot, Term] = field(default_factory=dict)
    constants: list[float] = field(default_factory=list)

    def condition(self, node: Expression) -> Term:
        import z3

        operator = node[0]
        if operator == "and":
            return z3.And([self.condition(part) for part in node[1]])
        if operator == "or":
            return z3.Or([self.condition(part) for part in node[1]])
        if operator == "not":
            return z3.Not(self.condition(node[1]))
        if operator == "cmp":
            return _compared(node[1], self.value(node[2]), self.value(node[3]))
        if operator == "fn" and node[1] == "LIKE" and len(node[2]) == 2:
            pattern = node[2][1]
            if pattern[0] == "str":
                return z3.InRe(_text(self.value(node[2][0])), _regular(pattern[1]))
        raise _NotModelled(operator)

    def value(self, node: Expression) -> Term:
        operator = node[0]
        if operator == "col":
            return self._column(node[1], node[2])
        if operator in ("str", "num"):
            return self._constant(operator, node[1])
        if operator == "arith":
            return _calculated(node[1], self.value(node[2]), self.value(node[3]))
        if operator == "cast":
            return self.value(node[2])
        if operator == "fn" and len(node[2]) == 1:
            return self._called(node[1], self.value(node[2][0]))
        raise _NotModelled(operator)

    def _constant(self, operator: str, text: str) -> Term:
        import z3

        if operator == "str":
            return z3.StringVal(text)
        self.constants.append(abs(float(text)))
        is_whole = text.lstrip("-").isdecimal()
        return z3.IntVal(int(text)) if is_whole else z3.RealVal(text)

    @staticmethod
    def _called(function: str, inner: Term) -> Term:
        import z3

        if function == "-":
            return -_number(inner)
        if function == "ABS":
            return z3.If(_number(inner) >= 0, inner, -inner)
        if function == "LENGTH":
            return z3.Length(_text(inner))
        raise _NotModelled(function)

    def _column(self, relation: Relation, key: str) -> Term:
        import z3

        number = self.numbers.get(id(relation))
        if number is None or relation.query is not None:
            raise _NotModelled("a column from elsewhere")
        slot = (number, key)
        if slot not in self.terms:
            kind = self.kinds[slot]
            # A name that needs no quotes in the text that goes to the solver.
            name = f"row{number}_{list(relation.facts.columns).index(key)}"
            sort = z3.Real if kind is ColumnKind.REAL else z3.Int
            self.terms[slot] = sort(name) if kind.is_number else z3.String(name)
        return self.terms[slot]


class _System:
    """The conditions of one SELECT, and what is asked of the solver about them."""

    def __init__(self, block: SelectBlock, generator: InstanceGenerator) -> None:
        self.relations = block.relations
        self._wanted = conjuncts([*block.where, *(c for part in block.outer for c in part.on)])
        kinds = {
            (number, key): generator.pools.of((relation.title, facts.name)).kind
            for number, relation in enumerate(self.relations)
            if relation.query is None
            for key, facts in relation.facts.columns.items()
        }
        numbers = {id(relation): number for number, relation in enumerate(self.relations)}
        self._encoding = _Encoding(numbers, kinds)
        self._conditions = self._encoded(self._wanted, self._encoding)

    def goals(self, others: Sequence[_System]) -> Iterator[list[Term]]:
        """Yield lists of conditions that a row is to meet."""
        import z3

        if not self._conditions:
            return
        yield self._conditions
        for place, condition in enumerate(self._conditions):
            rest = [other for other in self._conditions if other is not condition]
            tight = _tight(condition)
            if tight is not None:
                yield [*rest, tight]
            yield [*rest[:place], z3.Not(condition), *rest[place:]]
        for other in others:
            for condition in self._of_other(other):
                yield [*self._conditions, z3.Not(condition)]

    def solution(self, goal: Sequence[Term]) -> Part | None:
        """Return rows that meet a goal; None where there are none or the solver gives up."""
        import z3

        for is_bounded in (True, False):
            asked = z3.Solver()
            asked.add(*goal)
            if is_bounded:
                asked.add(*self._bounds())
            # What the solver finds depends on all that its context has seen: it gets a new one.
            context = z3.Context()
            solver = z3.Solver(ctx=context)
            solver.set("rlimit", _EFFORT)
            solver.add(z3.parse_smt2_string(asked.to_smt2(), ctx=context))
            if solver.check() == z3.sat:
                model = solver.model()
                return self._part({str(name): _cell(model[name]) for name in model.decls()})
        return None

    def _bounds(self) -> Iterator[Term]:
        """Yield what keeps values readable: 0 to twice the largest constant, short texts."""
        import z3

        top = int(2 * max(self._encoding.constants, default=_DEFAULT_RANGE / 2)) + 1
        for term in self._encoding.terms.values():
            if z3.is_string(term):
                yield z3.Length(term) <= _LONGEST_TEXT
            else:
                yield z3.And(term >= 0, term <= top)

    def _of_other(self, other: _System) -> list[Term]:
        """Return the conditions of another SELECT over the same tables, on these rows."""
        own: dict[tuple[str, int], int] = {}
        seen: Counter[str] = Counter()
        for number, relation in enumerate(self.relations):
            own[relation.title, seen[relation.title]] = number
            seen[relation.title] += 1
        seen.clear()
        numbers: dict[int, int] = {}
        for relation in other.relations:
            place = own.get((relation.title, seen[relation.title]))
            seen[relation.title] += 1
            if place is not None:
                numbers[id(relation)] = place
        encoding = _Encoding(numbers, self._encoding.kinds, self._encoding.terms)
        return self._encoded(other._wanted, encoding)

    @staticmethod
    def _encoded(wanted: Sequence[Expression], encoding: _Encoding) -> list[Term]:
        found = []
        for condition in wanted:
            try:
                found.append(encoding.condition(condition))
            except _NotModelled:
                continue
        return found

    def _part(self, model: dict[str, Cell]) -> Part:
        part: Part = [(relation.title, {}) for relation in self.relations if relation.query is None]
        places = [n for n, relation in enumerate(self.relations) if relation.query is None]
        for (number, key), term in self._encoding.terms.items():
            value = model.get(str(term))
            # Any text will do where the solver takes the empty one: the filler knows better ones.
            if value is not None and value != "":
                name = self.relations[number].column(key).name
                part[places.index(number)][1][name] = value
        return part


def _cell(value: Term) -> Cell:
    import z3

    if z3.is_int_value(value):
        return int(value.as_long())
    if z3.is_rational_value(value):
        return round(float(Fraction(value.numerator_as_long(), value.denominator_as_long())), 4)
    if z3.is_string_value(value):
        text = str(value.as_string())
        return text if "\\u{" not in text else None
    return None


def _number(term: Term) -> Term:
    import z3

    if z3.is_string(term):
        raise _NotModelled("a text as a number")
    return term


def _text(term: Term) -> Term:
    import z3

    if not z3.is_string(term):
        raise _NotModelled("a number as a text")
    return term


def _compared(operator: str, left: Term, right: Term) -> Term:
    import z3

    if z3.is_string(left) != z3.is_string(right):
        raise _NotModelled("a text and a number")
    if operator == "=":
        return left == right
    if operator in ("<>", "!="):
        return left != right
    orders = {"<": lambda: left < right, "<=": lambda: left <= right}
    orders |= {">": lambda: right < left, ">=": lambda: right <= left}
    if operator not in orders:
        raise _NotModelled(operator)
    return orders[operator]()


def _calculated(operator: str, left: Term, right: Term) -> Term:
    left, right = _number(left), _number(right)
    if operator == "+":
        return left + right
    if operator == "-":
        return left - right
    if operator == "*":
        return left * right
    if operator == "/":
        return left / right
    raise _NotModelled(operator)


def _tight(condition: Term) -> Term | None:
    """Return the condition that both sides of a comparison of numbers are equal."""
    import z3

    if z3.is_le(condition) or z3.is_lt(condition) or z3.is_ge(condition) or z3.is_gt(condition):
        left, right = condition.children()
        return left == right
    return None


def _regular(pattern: str) -> Term:
    """Return a LIKE pattern as a regular expression; letters in their own case."""
    import z3

    letters = z3.Range("a", "z")
    parts = [
        z3.Star(letters) if letter == "%" else letters if letter == "_" else z3.Re(letter)
        for letter in pattern
    ]
    if not parts:
        return z3.Re("")
    return parts[0] if len(parts) == 1 else z3.Concat(*parts)
