"""Where the packaged sample's cases must come out otherwise than on SQLite, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_UNGROUPED = "must appear in the GROUP BY clause"
_SEVERAL_ROWS = "ore than (one|1) row"
"""SQLite takes the first row of a subquery that stands for a value."""
_NO_FUNCTION = "julianday|JULIANDAY"
_NO_ALIAS = "subquery in FROM must have an alias|syntax error near ''"
_NO_TEXT_IN_NUMBERS = (
    "operator does not exist: text|function sum\\(text\\)|Cannot compare values of type VARCHAR"
    "|No function matches"
)
_NOT_A_NUMBER = "invalid input syntax for type integer|Could not convert string '100 mg'"


@dataclass(frozen=True, slots=True)
class Differences:
    """What a dialect does otherwise."""

    refused: Mapping[str, str]
    """Words of the refusal to the cases whose query it refuses."""
    candidates: str
    """Cases with a candidate that the dialect refuses, or of which it gives other rows."""
    signals: Mapping[str, Mapping[str, str]]
    """Reason to signal to the cases in which its outcome differs."""

    def signals_of_cases(self) -> set[tuple[str, str]]:
        """Return the pairs of signal and case of which the outcome differs."""
        return {
            (signal, question)
            for by_signal in self.signals.values()
            for signal, questions in by_signal.items()
            for question in questions.split()
        }

    def refused_cases(self) -> dict[str, str]:
        """Return each refused case with words of its refusal."""
        return {
            question: words
            for words, questions in self.refused.items()
            for question in questions.split()
        }

    def cases(self) -> set[str]:
        """Return all cases in which anything differs."""
        others = {question for _, question in self.signals_of_cases()}
        return others | set(self.refused_cases()) | set(self.candidates.split())


_WHOLE = "it divides integers without losing the remainder"
_NO_DIGITS = "it refuses to calculate with a text, so there is nothing to look for"

POSTGRESQL = Differences(
    refused={
        _UNGROUPED: "bookshop-009 bookshop-050 clinic-012 clinic-022 cycling-028",
        _SEVERAL_ROWS: "bookshop-020 clinic-033",
        _NO_FUNCTION: "clinic-040",
        _NO_ALIAS: "clinic-037",
        _NO_TEXT_IN_NUMBERS: "clinic-024 clinic-041 cycling-019",
        _NOT_A_NUMBER: "clinic-025",
    },
    candidates=(
        "bookshop-002 bookshop-031 bookshop-054 clinic-029 clinic-032 clinic-047 clinic-054 "
        "clinic-057 cycling-001 cycling-008 cycling-032"
    ),
    signals={_NO_DIGITS: {"wrong_calculation": "bookshop-019 bookshop-040 cycling-032"}},
)
DUCKDB = Differences(
    refused={
        # Unlike PostgreSQL, also where the table's key is grouped by.
        _UNGROUPED: (
            "bookshop-009 bookshop-028 bookshop-030 bookshop-037 bookshop-050 clinic-012 "
            "clinic-015 clinic-017 clinic-022 clinic-046 cycling-007 cycling-010 cycling-016 "
            "cycling-022 cycling-028 cycling-029"
        ),
        _SEVERAL_ROWS: "bookshop-020 clinic-033",
        _NO_FUNCTION: "clinic-040",
        _NO_TEXT_IN_NUMBERS: "clinic-024 clinic-041 cycling-019",
        _NOT_A_NUMBER: "clinic-025",
    },
    candidates=(
        "bookshop-002 bookshop-029 bookshop-031 bookshop-032 bookshop-052 bookshop-054 clinic-016 "
        "clinic-047 clinic-054 clinic-057 cycling-001 cycling-008 cycling-017 cycling-032"
    ),
    signals={
        _NO_DIGITS: {"wrong_calculation": "bookshop-019 bookshop-040 cycling-032"},
        _WHOLE: {
            "abnormal_result": "bookshop-032 clinic-030",
            "cast_precision_loss": "bookshop-032 clinic-030",
        },
        # departments.head_id refers to doctors, which refers to departments.
        "two tables cannot refer to each other": {"incorrect_join_predicate": "clinic-005"},
    },
)
MARIADB = Differences(
    refused={
        _SEVERAL_ROWS: "bookshop-020 clinic-033",
        _NO_FUNCTION: "clinic-040",
        _NO_ALIAS: "clinic-037",
        "doesn't yet support 'LIMIT": "clinic-010",
    },
    candidates=(
        "bookshop-021 bookshop-031 bookshop-054 clinic-024 clinic-032 clinic-041 clinic-047 "
        "clinic-054 cycling-028"
    ),
    signals={
        _WHOLE: {
            "abnormal_result": "bookshop-032 clinic-030",
            "cast_precision_loss": "bookshop-032 clinic-030",
        },
        "a column beside MIN or MAX is that of any row": {
            "bare_column": "clinic-012 cycling-028",
            "uncertain_projection": "bookshop-050",
        },
        "a text is compared with a number as a number": {"incompatible_comparison": "clinic-024"},
    },
)
DIFFERENCES = {"duckdb": DUCKDB, "postgres": POSTGRESQL, "mysql": MARIADB}
"""Dialect, by sqlglot's name, to what it does otherwise than SQLite."""
