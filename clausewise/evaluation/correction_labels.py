"""Whether the query of a case was right before a correction, and is after it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from clausewise.corrected_case import RowMatch
from clausewise.databases import QueryResult
from clausewise.datasets.corrections import Correction
from clausewise.errors import InputError
from clausewise.evaluation.execution_match import asks_for_order, rows_of, same_rows
from clausewise.evaluation.matching import id_key
from clausewise.sql.unwrapping import bare_statement

if TYPE_CHECKING:
    from clausewise.databases import Databases

T = TypeVar("T")
BeforeAfter = tuple[bool, bool]


class CorrectionLabels(Protocol):
    """What says whether queries are right."""

    def labels(self, correction: Correction) -> BeforeAfter | None:
        """Return whether the query is right before and after, None where that is not known."""


class GivenLabels:
    """Labels of both queries from outside, by question id; 7 and "7" are the same id.

    A query that is not changed needs the first one only.
    """

    def __init__(self, before: Mapping[str | int, bool], after: Mapping[str | int, bool]) -> None:
        self._before = _by_key(before)
        self._after = _by_key(after)

    def labels(self, correction: Correction) -> BeforeAfter | None:
        """Return both labels, None where one of them is missing."""
        if correction.question_id is None:
            return None
        key = id_key(correction.question_id)
        before = self._before.get(key)
        after = self._after.get(key) if correction.changed else before
        return None if before is None or after is None else (before, after)


@dataclass
class ExecutionLabels:
    """Labels by execution: a query is right that returns what the gold query returns.

    Attributes
    ----------
    gold
        The right query by question id.
    databases
        Where queries are run, read-only and under limits; in the calling process, unless they are
        remote ones, as those of `clausewise evaluate` are.
    match
        When two results are the same.
    before
        Labels of the queries before correction, where they are known better; the others, and all
        changed ones, are executed.
    database_of
        The database of a question, for corrections that do not name it.
    """

    gold: Mapping[str | int, str]
    databases: Databases
    match: RowMatch = RowMatch.SPIDER
    before: Mapping[str | int, bool] = field(default_factory=dict)
    database_of: Mapping[str | int, str | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._gold = _by_key(self.gold)
        self._before = _by_key(self.before)
        self._database_of = _by_key(self.database_of)
        self._gold_rows: dict[str, tuple[QueryResult | None, bool]] = {}

    def labels(self, correction: Correction) -> BeforeAfter | None:
        """Return both labels.

        None without a gold query, where the gold query does not run, and where a result is too
        large to be compared. Raises InputError where no database is known, DatabaseError where it
        cannot be read.
        """
        key = id_key(correction.question_id)
        if correction.question_id is None or key not in self._gold:
            return None
        before = self._before.get(key)
        if before is None:
            before = self._is_right(correction, correction.predicted_sql)
        after = before
        if correction.changed:
            after = self._is_right(correction, correction.corrected_sql)
        return None if before is None or after is None else (before, after)

    def _is_right(self, correction: Correction, sql: str | None) -> bool | None:
        key = id_key(correction.question_id)
        db_id = correction.db_id or self._database_of.get(key)
        if db_id is None:
            message = f"the line of question '{key}' names no database"
            raise InputError(message, field="db_id")
        database = self.databases.get(db_id)
        if key not in self._gold_rows:
            gold = self._gold[key]
            self._gold_rows[key] = (rows_of(gold, database), asks_for_order(gold, database.dialect))
        rows, ordered = self._gold_rows[key]
        if rows is None:
            return None
        other = None if sql is None else rows_of(bare_statement(sql), database)
        return False if other is None else same_rows(rows, other, self.match, ordered=ordered)


def _by_key(values: Mapping[str | int, T]) -> dict[str, T]:
    return {id_key(question): value for question, value in values.items()}
