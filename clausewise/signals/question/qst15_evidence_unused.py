"""QST15: what the evidence defines is not in the query."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain

from clausewise.databases.model import Schema
from clausewise.errors import NotAllChecked, NotApplicable
from clausewise.question.asked import AskedKind
from clausewise.question.evidence import (
    EvidenceCall,
    EvidenceComparison,
    EvidenceStatement,
)
from clausewise.question.reading import QuestionReading, read_question
from clausewise.question.tokens import word_set
from clausewise.question.words import question_words
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.keys import is_key
from clausewise.signals.linking.columns import is_column, match_score
from clausewise.signals.linking.constants import QueryFacts, facts_of
from clausewise.signals.linking.formulas import averaged_or_calculated, formula_faults
from clausewise.signals.linking.keys import key_in_use, picked_by_key
from clausewise.signals.question._evidence_values import (
    NUMBER_TEXT,
    has_value,
    is_patterned,
    looks_at,
    why_missing,
)
from clausewise.signals.units import at_most
from clausewise.sql.model import Comparison, OrderItem, Select
from clausewise.types import Case, Clause, ClauseSpan, Cost, Finding, Group, Need

_IDENTIFIER_SHAPE = re.compile(r"[_.\d]|[a-z][A-Z]")
_WORD = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)?")
_NAME = re.compile(
    r"['\"]([^'\"\n]*\s[^'\"\n]*)['\"]|[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+"
    r"|[a-z]+(?:[A-Z][a-z0-9]+)+|(?:[A-Z][a-z0-9]+){2,}|[A-Z][A-Z0-9]{3,}"
)
"""A name that is no word of a sentence: with an underscore, a hump, all capitals, in quotes."""
_DENIED = re.compile(
    r"(?i)\b(?:not|no|never|without|instead of|rather than|and|or|;)\s*(?:the\s+)?$"
)
_BEFORE = 30
"""Characters before a name in which it may be denied."""
_LIMITS = re.compile(r"(?i)[=<>]|\b(?:is|in|before|after|empty|null|later|until|since|year|from)\b")
_SAYS_NOTHING = frozenset({"calculation", "calculate", "formula"})
"""What evidence calls a formula that is meant for the whole question."""
_SHOWN = frozenset(
    {"formula", "formula_count", "hundred", "aggregated", "column", "column_mentioned"}
)
"""Reasons for what SELECT should have shown."""
_MEANS = {"max": "the largest", "min": "the smallest"}


@signal(
    code="QST15",
    name="evidence_unused",
    group=Group.QUESTION,
    family="evidence",
    clauses=set(Clause),
    needs={Need.QUESTION, Need.EVIDENCE, Need.DATABASE},
    cost=Cost.PROFILE,
    version=4,
    reasons={
        "direction": "The query takes the smallest where the evidence wants the largest.",
        "operator": "The same column and number are compared by another operator.",
        "key": "The query picks the key of another row than the one whose value is named.",
        "value": ("A value of the evidence is missing, and its column is not used.", "strong"),
        "other_value": ("The column of the evidence is compared with another value.", "strong"),
        "value_shown": ("The column of the evidence is used, but not compared.", "moderate"),
        "column": ("A column that the evidence names for what is asked for is not used.", "strong"),
        "column_compared": (
            "The value is there, but another column is compared with it.",
            "strong",
        ),
        "column_mentioned": (
            "A column is not used that the evidence names for a word of the question.",
            "moderate",
        ),
        "named": (
            "The evidence writes a column's name, and the query has that column nowhere.",
            "strong",
        ),
        "null": "A column that must, or must not, be NULL is not looked at.",
        "function": "MAX or MIN of the evidence has no counterpart.",
        "formula": "An operation of the formula has no counterpart.",
        "formula_count": "A count or sum of the formula has no counterpart.",
        "operands": "The operands of a formula stand the wrong way round.",
        "hundred": "A percentage is not multiplied by 100.",
        "aggregated": "Another column than the formula's is summed or averaged.",
    },
)
def evidence_unused(case: Case, context: Context) -> Iterator[Finding]:
    """A value, column, comparison or formula of the evidence is not in the query.

    What it measures
    ----------------
    The evidence is read as statements ("female refers to gender = 'F'", "rate = DIVIDE(a, b)",
    "oldest refers to MIN(birth)", "'F' stands for female, 'M' for male"). Those count whose whole
    term the question says, in any order. For each: are its values among the query's constants, its
    columns used anywhere, its comparisons made with the same operator, its largest or smallest
    taken in that direction? Its formula is read as an expression and compared with the query's
    calculations: the operations, the order of the operands of a difference or a quotient, the
    columns that are summed or averaged, and the 100 of a percentage. A column's name that is no
    plain word ("late: PaidDate after DueDate") must stand in the query.

    Why it points to an error
    -------------------------
    The evidence says how the database expresses a phrase of the question; a query without it
    answers another question.

    Fires on
    --------
    How many women? (women refers to gender = 'F') SELECT COUNT(*) FROM staff

    Stays silent on
    ---------------
    How many women? (women refers to gender = 'F') SELECT COUNT(*) FROM staff WHERE gender = 'F'

    Does not apply when
    -------------------
    There is no evidence, or nothing in it could be read as a definition.

    How to repair
    -------------
    Use the value, column, comparison or formula as the evidence defines it.

    Cost
    ----
    Nothing is run, but where a key stands for a value: one COUNT that says whose key it is.

    References
    ----------
    SQLens, appendix A.2 (evidence violation), here without a language model.
    """
    facts = facts_of(context)
    reading = read_question(case)
    definitions = _definitions(reading, context)
    first = next(definitions, None)
    unread = sum(not statement.is_read for statement in reading.statements)
    named = _named_columns(reading.evidence, context)
    if first is None and not unread and not named:
        raise NotApplicable("the evidence defines nothing of the question that could be read")
    violated = False
    for statement in at_most(definitions if first is None else chain((first,), definitions)):
        for finding in _violations(statement, context, facts):
            violated = True
            yield finding
    if not violated:
        yield from _unused(named, reading, context)
    if unread:
        raise NotAllChecked(f"statements of the evidence that are too long to be read: {unread}")


def _named_columns(evidence: str, context: Context) -> tuple[str, ...]:
    """Return the columns that the evidence calls by names that are no words, casefolded."""
    known = context.schema.once(_column_names)
    found = [
        (match[1] or match[0]).casefold()
        for match in _NAME.finditer(evidence)
        if not _DENIED.search(evidence[max(0, match.start() - _BEFORE) : match.start()])
    ]
    return tuple(dict.fromkeys(name for name in found if name in known))


def _column_names(schema: Schema) -> frozenset[str]:
    return frozenset(column.name.casefold() for table in schema.tables for column in table.columns)


def _unused(named: Sequence[str], reading: QuestionReading, context: Context) -> Iterator[Finding]:
    """Yield the first named column that stands nowhere; a key's value may stand for one."""
    facts = facts_of(context)
    there = facts.column_names | frozenset(facts.names)
    stars = any(shown.star for one in context.query.selects for shown in one.projections)
    name = next((each for each in named if each not in there), "")
    by_key = any(
        is_key(context.schema, one.column.table or "", one.column.column or "")
        for _, one in context.comparisons()
        if one.operator in ("=", "IN")
    )
    if name and not stars and not by_key:
        yield _named(name, reading, context)


def _named(name: str, reading: QuestionReading, context: Context) -> Finding:
    place = reading.evidence.casefold().find(name)
    after = reading.evidence[place + len(name) : place + len(name) + 16]
    before = reading.evidence[max(0, place - 16) : place]
    root = context.query.root
    kind = Clause.WHERE if _LIMITS.search(after) or _LIMITS.search(before) else Clause.SELECT
    return Finding(
        clause=root.clause(kind) or root.clause(Clause.SELECT) or context.query.span,
        reason="named",
        message=f"the evidence names {name}, the query has it nowhere",
        evidence={"column": name},
    )


def _definitions(reading: QuestionReading, context: Context) -> Iterator[EvidenceStatement]:
    """Yield the statements that define something of the question."""
    said = frozenset(question_words(reading.question))
    for statement in reading.statements:
        if _concerns(statement, said) and (
            statement.comparisons
            or statement.calls
            or _columns(statement, context)
            or (statement.phrase and averaged_or_calculated(statement.meaning, context.schema))
        ):
            yield statement


def _violations(
    statement: EvidenceStatement, context: Context, facts: QueryFacts
) -> Iterator[Finding]:
    """Yield what one statement defines and the query lacks, the plainest first."""
    found = list(_unused_values(statement, context, facts))
    found += _other_operators(statement, context)
    found += _ranking(statement, context, facts)
    if not found:
        found += _unused_columns(statement, context, facts)
        found += _other_formula(statement, context, facts)
    yield from found


def _columns(statement: EvidenceStatement, context: Context) -> list[str]:
    """Return the columns that a statement names; a plain word is one only where it must be."""
    counted = {
        name
        for call in statement.calls
        if call.function not in _MEANS
        for name in _WORD.findall(call.argument)
    }
    compared = {comparison.column for comparison in statement.comparisons}
    compared |= {name for call in statement.calls for name in _WORD.findall(call.argument)}
    return [
        name
        for name in statement.identifiers
        if name not in counted
        and (statement.listed or name in compared or _IDENTIFIER_SHAPE.search(name))
        and is_column(context.schema, name)
    ]


def _concerns(statement: EvidenceStatement, question: frozenset[str]) -> bool:
    """Whether the question says the whole term that the statement defines, in any order."""
    said = set(question_words(statement.phrase)) - _SAYS_NOTHING
    phrase = said - _small_words() or said
    return all(match_score(word, question) > 0 for word in phrase)


@lru_cache(maxsize=1)
def _small_words() -> frozenset[str]:
    """Return words that a term may have and a question may lack: articles, prepositions."""
    keys = ("determiners", "prepositions", "auxiliaries", "pronouns", "relatives", "imperatives",
            "openers", "not_nouns", "joiners")  # fmt: skip
    return frozenset().union(*(word_set("asking", key) for key in keys)) | {"or", "be", "who"}


def _unused_values(
    statement: EvidenceStatement, context: Context, facts: QueryFacts
) -> Iterator[Finding]:
    for comparison in statement.comparisons:
        if comparison.column and not is_column(context.schema, comparison.column):
            continue
        if comparison.values[0].lower() == "null":
            if not looks_at(comparison, context):
                yield _finding(context, statement, "null", comparison.text)
            continue
        values = [
            value
            for value in comparison.values
            if comparison.quoted or not is_column(context.schema, value)
        ]
        if comparison.operator == "LIKE" and is_patterned(comparison, context):
            continue
        missing = [value for value in values if not has_value(value, comparison, facts)]
        if not missing:
            continue
        by_key = picked_by_key(comparison, context, facts)
        if by_key is None:
            yield _finding(
                context, statement, why_missing(comparison, context, facts), comparison.text
            )
        elif not by_key:
            yield _finding(context, statement, "key", comparison.text)


def _other_operators(statement: EvidenceStatement, context: Context) -> Iterator[Finding]:
    for wanted in statement.comparisons:
        if wanted.operator not in ("<", "<=", ">", ">="):
            continue
        name = wanted.column.rpartition(".")[2].casefold()
        for _, made in context.comparisons():
            if (made.column.column or made.column.name).casefold() != name:
                continue
            if _contradicts(wanted, made):
                yield _finding(context, statement, "operator", wanted.text, made.clause)


def _contradicts(wanted: EvidenceComparison, made: Comparison) -> bool:
    """Whether the same column is compared with the same number by another operator."""
    if made.operator not in ("<", "<=", ">", ">=", "=") or len(made.literals) != 1 or made.negated:
        return False
    given = str(made.literals[0].value)
    number = wanted.values[0].replace(",", "")
    if not (NUMBER_TEXT.fullmatch(given) and NUMBER_TEXT.fullmatch(number)):
        return False
    return float(given) == float(number) and made.operator != wanted.operator


def _ranking(
    statement: EvidenceStatement, context: Context, facts: QueryFacts
) -> Iterator[Finding]:
    for call in statement.calls:
        if call.function not in _MEANS or "(" in call.argument:
            continue
        name = _argument_column(call, context)
        if name is None:
            continue
        both = _wants_both_ends(name, context)
        opposite = None if both else _opposite(call.function, name, context)
        if opposite is not None:
            text = f"{call.function.upper()}({call.argument})"
            yield _finding(context, statement, "direction", text, opposite)
        elif not _takes_extreme(context, facts):
            text = f"{call.function.upper()}({call.argument})"
            yield _finding(context, statement, "function", text)


def _wants_both_ends(name: str, context: Context) -> bool:
    """Whether the evidence names both the largest and the smallest of a column."""
    ends = {
        call.function
        for statement in read_question(context.case).statements
        for call in statement.calls
        if call.function in _MEANS and _argument_column(call, context) == name
    }
    return len(ends) > 1


def _argument_column(call: EvidenceCall, context: Context) -> str | None:
    match = _WORD.match(call.argument)
    if match is None or not is_column(context.schema, match.group()):
        return None
    return match.group().rpartition(".")[2].casefold()


def _opposite(function: str, name: str, context: Context) -> ClauseSpan | None:
    """Return where the query takes the other extreme of that very column."""
    for select in context.query.selects:
        for item in select.order_by[:1]:
            if select.limit == 1 and _is_named(item, name, select) and not item.has_aggregate:
                if item.descending != (function == "max"):
                    return context.span(Clause.ORDER_BY, item.piece.start, item.piece.end)
                return None
    same, other = _extremes(context, function, name)
    return other if other is not None and not same else None


def _extremes(context: Context, function: str, name: str) -> tuple[bool, ClauseSpan | None]:
    same, other = False, None
    for select in context.query.selects:
        for aggregate in select.aggregates:
            if aggregate.function not in _MEANS:
                continue
            if not any((use.column or use.name).casefold() == name for use in aggregate.columns):
                continue
            if aggregate.function == function:
                same = True
            else:
                other = context.enclosing_clause(aggregate.piece.start, aggregate.piece.end)
    return same, other


def _is_named(item: OrderItem, name: str, select: Select) -> bool:
    """Whether a sort key is that column, or an expression over it."""
    key = item.expression
    used = [use for use in select.columns if key.start <= use.piece.start < key.end]
    uses = used if item.column is None else [item.column]
    return any((use.column or use.name).casefold() == name for use in uses)


def _takes_extreme(context: Context, facts: QueryFacts) -> bool:
    ordered = any(select.order_by for select in context.query.selects)
    return ordered or facts.calls("max", "min", "rank", "row_number", "dense_rank")


def _unused_columns(
    statement: EvidenceStatement, context: Context, facts: QueryFacts
) -> Iterator[Finding]:
    by_key = {
        comparison.column
        for comparison in statement.comparisons
        if comparison.values and picked_by_key(comparison, context, facts) is not None
    }
    for name in _columns(statement, context):
        if name in by_key:
            continue
        column = name.rpartition(".")[2].casefold()
        if column == "id" or column in facts.column_names or key_in_use(name, context, facts):
            continue
        if any(item.star for select in context.query.selects for item in select.projections):
            continue
        reason = _why_wanted(name, statement, context)
        if reason:
            yield _finding(context, statement, reason, name)
            return


def _why_wanted(name: str, statement: EvidenceStatement, context: Context) -> str:
    """Return what a column is wanted for, empty where rows may be counted instead of its values."""
    if any(comparison.column == name for comparison in statement.comparisons):
        return "column_compared"
    phrase = set(question_words(statement.phrase))
    asked = [item for item in read_question(context.case).asked if phrase & set(item.words)]
    if any(item.kind is AskedKind.COUNT for item in asked):
        return ""
    plain = any(item.required and item.kind is not AskedKind.GROUP for item in asked)
    return "column" if plain and statement.listed else "column_mentioned"


def _other_formula(
    statement: EvidenceStatement, context: Context, facts: QueryFacts
) -> Iterator[Finding]:
    for fault in formula_faults(statement, context, facts):
        place = fault.place
        clause = context.enclosing_clause(place.start, place.end) if place is not None else None
        yield _finding(context, statement, fault.reason, fault.wanted, clause)


def _finding(
    context: Context,
    statement: EvidenceStatement,
    reason: str,
    wanted: str,
    clause: ClauseSpan | None = None,
) -> Finding:
    return Finding(
        clause=clause or _likely_place(context, reason),
        reason=reason,
        message=f"the evidence says '{statement.text}', but the query has no `{wanted}`",
        evidence={"statement": statement.text, "wanted": wanted},
        suggestion=f"use {wanted}",
    )


def _likely_place(context: Context, reason: str) -> ClauseSpan:
    """Return the clause that should have held what is missing."""
    root = context.query.root
    kinds: tuple[Clause, ...] = (Clause.WHERE, Clause.HAVING, Clause.SELECT)
    if reason == "function":
        kinds = (Clause.ORDER_BY, Clause.SELECT)
    elif reason in _SHOWN:
        kinds = (Clause.SELECT,)
    for kind in kinds:
        clause = root.clause(kind)
        if clause is not None:
            return clause
    return context.query.span
