"""QST18: another column of the table is closer to the question's words."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.databases.model import Table
from clausewise.naming.expansion import expanded
from clausewise.question.reading import QuestionReading, read_question
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.linking.columns import column_words, match_score, table_words
from clausewise.signals.linking.constants import QueryFacts, facts_of, fold
from clausewise.signals.units import for_each
from clausewise.sql.model import ColumnUse
from clausewise.types import Clause, Cost, Finding, Group, Need

KINDS = (Clause.SELECT, Clause.WHERE, Clause.HAVING, Clause.GROUP_BY, Clause.ORDER_BY)


def _columns(context: Context) -> Iterator[ColumnUse]:
    """Yield the first use of each column that is selected, compared or ordered by."""
    seen = set()
    for use in facts_of(context).columns:
        if use.table is None or use.column is None or use.in_join_condition:
            continue
        if use.clause in KINDS and (use.table, use.column) not in seen:
            seen.add((use.table, use.column))
            yield use


@signal(
    code="QST18",
    name="distant_column",
    group=Group.QUESTION,
    family="question_column",
    clauses={Clause.SELECT, Clause.WHERE, Clause.GROUP_BY, Clause.ORDER_BY, Clause.HAVING},
    needs={Need.QUESTION},
    cost=Cost.PARSE,
    version=2,
    reasons={
        "named_in_full": "The other column's name has two words or more beside its table's.",
        "named": "The other column's name has one word beside its table's.",
    },
)
@for_each(_columns, otherwise="no column of a table is selected or compared")
def distant_column(use: ColumnUse, context: Context) -> Iterator[Finding]:
    """Another column of the same table is named in the question, the one used is not.

    What it measures
    ----------------
    Columns that the query selects or compares, outside joins, and of whose name the question and
    the evidence say no word, not even a synonym: whether they say every word of another column of
    the same table that the query does not use. Words of the table's name do not count, and columns
    compared with values that the question says are left alone.

    Why it points to an error
    -------------------------
    Two columns of a table look alike, and the query took the one that the question does not
    mean.

    Fires on
    --------
    What is the release year of the song? SELECT record_year FROM song

    Stays silent on
    ---------------
    What is the release year of the song? SELECT release_year FROM song

    Does not apply when
    -------------------
    The query selects and compares no column of a table.

    How to repair
    -------------
    Use the column that the question names.

    Cost
    ----
    Nothing is run.

    References
    ----------
    SQLens (column ambiguity).
    """
    finding = _closer(use, read_question(context.case), facts_of(context), context)
    if finding is not None:
        yield finding


def _closer(
    use: ColumnUse, reading: QuestionReading, facts: QueryFacts, context: Context
) -> Finding | None:
    table = context.schema.table(str(use.table))
    if table is None:
        return None
    column = str(use.column)
    own = _own_words(table, column, context)
    said = reading.words | reading.implied | frozenset(reading.evidence.lower().split())
    if not own or _is_key(column) or any(match_score(word, said) for word in own):
        return None
    if column.casefold() in reading.evidence.casefold() or _holds_said(use, reading, context):
        return None
    names = expanded(context.schema)
    used = {
        word
        for other in facts.columns
        for word in names.column(other.table, other.column or other.name).words
    }
    rivals = [
        (len(words), other.name)
        for other in table.columns
        if other.name.casefold() not in facts.column_names and not _is_key(other.name)
        for words in _own_phrases(table, other.name, context)
        if words and words <= reading.words and not words & used
    ]
    if not rivals:
        return None
    size, name = max(rivals)
    full = size > 1
    return Finding(
        clause=context.span(use.clause, use.piece.start, use.piece.end),
        reason="named_in_full" if full else "named",
        message=f"the question says {table.name}.{name} and nothing of {use.column}",
        evidence={"other": name},
        suggestion=f"use {table.name}.{name}",
    )


def _holds_said(use: ColumnUse, reading: QuestionReading, context: Context) -> bool:
    """Whether the column is compared with what the question says: `in 2011` needs no `year`."""
    said = f"{reading.question} {reading.evidence}".casefold()
    return any(
        comparison.column.name == use.name
        and all(fold(str(literal.value)) in said for literal in comparison.literals)
        for _, comparison in context.comparisons()
    )


def _is_key(column: str) -> bool:
    return column.casefold().endswith("id")


def _own_words(table: Table, column: str, context: Context) -> frozenset[str]:
    """Return the words of a column's name and label that its table's name does not say."""
    words = column_words(context.schema, table.name, column)
    return words - table_words(context.schema, table.name)


def _own_phrases(table: Table, column: str, context: Context) -> Iterator[frozenset[str]]:
    """Yield the words of each way to say a column's name, without those of its table's name."""
    for phrase in expanded(context.schema).column(table.name, column).phrases:
        yield frozenset(phrase) - table_words(context.schema, table.name)
