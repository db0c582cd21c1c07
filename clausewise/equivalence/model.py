"""What a comparison of two queries finds: a verdict, and a counterexample or a proof."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from clausewise.databases.instances import Instance
from clausewise.databases.model import QueryResult
from clausewise.text import plain_json
from clausewise.types import Strictness


class EquivalenceVerdict(StrEnum):
    """Whether two queries always give the same result."""

    EQUIVALENT = "EQUIVALENT"
    """Proved for every valid content of the database."""
    NOT_EQUIVALENT = "NOT_EQUIVALENT"
    """Shown by a counterexample on which both queries were run."""
    UNKNOWN = "UNKNOWN"
    """Neither; `reason` says why."""


class DifferenceKind(StrEnum):
    """In what two results differ."""

    COLUMNS = "columns"
    """In the number of columns."""
    ROWS = "rows"
    """In their rows, in whatever order."""
    ORDER = "order"
    """In nothing but the order of rows."""


class OrderRule(StrEnum):
    """When the order of rows counts."""

    EITHER = "either"
    """Where one of the queries asks for an order at its outermost level."""
    FIRST = "first"
    """Where the first query asks for one: the rule of test-suite evaluation, gold first."""
    NEVER = "never"
    """Never."""


@dataclass(frozen=True, slots=True)
class Conventions:
    """What counts as a difference between two results. The defaults are SQL's own semantics."""

    order: OrderRule = OrderRule.EITHER
    any_column_order: bool = False
    """Whether results are equal that differ in nothing but the order of their columns."""
    duplicates: bool = True
    """Whether it counts how many times a row comes."""
    digits: int = 6
    """Numbers are equal that agree in so many digits."""

    def counting_one_more(self) -> Iterator[tuple[str, Conventions]]:
        """Yield what these conventions let pass, each with conventions under which that counts."""
        if self.order is not OrderRule.EITHER:
            yield "the order of rows", replace(self, order=OrderRule.EITHER)
        if self.any_column_order:
            yield "the order of columns", replace(self, any_column_order=False)
        if not self.duplicates:
            yield "how many times a row comes", replace(self, duplicates=True)

    @classmethod
    def named(cls, name: str) -> Conventions:
        """Return what `relaxed` or `strict` lets pass, as `--conventions` does everywhere.

        Relaxed, the order of rows and that of columns do not count; strict is SQL's own semantics.
        A column more and a rounded number are differences under both: no proof can let them pass.

        Raises InputError for another name.
        """
        return AS_ASKED if Strictness.named(name) is Strictness.RELAXED else cls()


AS_ASKED = Conventions(order=OrderRule.NEVER, any_column_order=True)
"""A question leaves open the order of columns, and its executed result that of the rows."""


class Stage(StrEnum):
    """The steps of a comparison, in their order."""

    CANONICAL = "canonical form"
    DATABASE = "given database"
    KNOWN = "known instances"
    SOLVED = "solved instances"
    GENERATED = "generated instances"
    PROOF = "proof"


@dataclass(frozen=True, slots=True)
class Attempt:
    """What one stage tried and what came of it."""

    stage: Stage
    tried: int
    """Instances on which both queries were run, or proofs that were attempted."""
    outcome: str

    def to_dict(self) -> dict[str, Any]:
        """Return the attempt as plain JSON."""
        return {"stage": self.stage.value, "tried": self.tried, "outcome": self.outcome}


@dataclass(frozen=True, slots=True)
class Counterexample:
    """An instance on which two queries give different results, whatever the order of its rows.

    `instance` is None where only the given database, and no small instance, tells them apart.
    """

    kind: DifferenceKind
    instance: Instance | None
    result_a: QueryResult
    result_b: QueryResult

    def to_dict(self) -> dict[str, Any]:
        """Return the counterexample as plain JSON: tables, then both results."""
        return {
            "kind": self.kind.value,
            "tables": None if self.instance is None else self.instance.to_dict(),
            "result_a": result_dict(self.result_a),
            "result_b": result_dict(self.result_b),
        }


@dataclass(frozen=True, slots=True)
class EquivalenceResult:
    """What `compare` found of two queries.

    `proof` has its steps in words, empty unless EQUIVALENT. `let_pass` names what the conventions
    had to let pass for it, such as the order of rows: nothing else is proved of that. `reason` says
    in a sentence why the verdict is UNKNOWN, and is empty otherwise. `seconds` is wall-clock time.
    """

    verdict: EquivalenceVerdict
    counterexample: Counterexample | None = None
    proof: tuple[str, ...] = ()
    reason: str = ""
    attempts: tuple[Attempt, ...] = ()
    let_pass: tuple[str, ...] = ()
    seconds: float = field(default=0.0, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain JSON, without the time, which differs from run to run."""
        found = self.counterexample
        return {
            "verdict": self.verdict.value,
            "counterexample": None if found is None else found.to_dict(),
            "proof": list(self.proof),
            "reason": self.reason,
            "attempts": [attempt.to_dict() for attempt in self.attempts],
            "let_pass": list(self.let_pass),
        }


def result_dict(result: QueryResult) -> dict[str, Any]:
    """Return a result as plain JSON: columns and rows."""
    return {
        "columns": list(result.columns),
        "rows": [[plain_json(cell) for cell in row] for row in result.rows],
        "truncated": result.truncated,
    }
