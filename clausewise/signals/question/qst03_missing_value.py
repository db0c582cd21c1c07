"""QST03: a value that the question names is nowhere in the query."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.errors import NoData, NotAllChecked, NotApplicable
from clausewise.naming.expansion import expanded
from clausewise.question.reading import QuestionReading, read_question
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.linking.constants import QueryFacts, facts_of, fold
from clausewise.signals.linking.values import (
    ValueMention,
    is_implied,
    matches,
    quoted_texts,
    value_mentions,
)
from clausewise.signals.units import at_most
from clausewise.types import Case, Clause, Cost, Finding, Group, Need

CODE_LENGTH = 3
STEM = 6
"""First letters by which a small word is the name of a column or table: `nominated`, `nominee`."""
SHORTEST_WORD = 4
"""Letters of a word written small from which it is looked at: shorter ones are often codes."""


@signal(
    code="QST03",
    name="missing_value",
    group=Group.QUESTION,
    family="question_value",
    clauses={Clause.WHERE, Clause.HAVING, Clause.FROM, Clause.SELECT, Clause.QUERY},
    needs={Need.QUESTION, Need.DATABASE},
    cost=Cost.PROFILE,
    version=2,
    reasons={
        "quoted": "A quoted text that the database holds is in no condition.",
        "unknown_quoted": "A quoted text, not known to the database, is in no condition.",
        "capitalized": "A capitalized value of the database is in no condition.",
        "word": "A word written small that is a value of the database: it may be a plain word.",
        "coded": "A column of that kind is compared with something else, perhaps a code.",
        "coded_word": "The same for a word written small.",
    },
)
def missing_value(case: Case, context: Context) -> Iterator[Finding]:
    """A value that the question names stands in no constant of the query.

    What it measures
    ----------------
    Values are read off the question: what stands in quotation marks, and the longest stretches
    of words that the value index knows. Each must be met by a constant of the query, in another
    form too (`French` by 'France'), unless the evidence defines the words otherwise or a column
    of the query is named so.

    Why it points to an error
    -------------------------
    A condition of the question was left out.

    Fires on
    --------
    How many singers are from France? SELECT COUNT(*) FROM singer

    Stays silent on
    ---------------
    How many singers are from France? SELECT COUNT(*) FROM singer WHERE country = 'France'

    Does not apply when
    -------------------
    The question names no value; without data, where it has no text in quotation marks.

    How to repair
    -------------
    Add the condition on the column that holds the value.

    Cost
    ----
    Look-ups in the value index, a few for each word of the question; where a value is missing,
    one COUNT for each comparison that may stand for it.

    References
    ----------
    SQLens, figure 3; DART-SQL (value errors).
    """
    has_data = context.database.has_data
    mentions = [
        mention
        for mention in (value_mentions(context) if has_data else quoted_texts(context))
        if mention.kind != "word" or len(mention.text) >= SHORTEST_WORD
    ]
    if not mentions:
        if not has_data:
            raise NoData
        raise NotApplicable("the question names no value")
    facts = facts_of(context)
    reading = read_question(case)
    for mention in at_most(mentions):
        if not _met(mention, facts, reading) and not is_implied(mention, context):
            yield _finding(mention, context)
    if not has_data:
        raise NotAllChecked("only quoted texts were looked for: there is no data to find others")


def _met(mention: ValueMention, facts: QueryFacts, reading: QuestionReading) -> bool:
    if any(matches(mention.text, constant) for constant in facts.texts):
        return True
    folded = fold(mention.text)
    if any(folded in statement.text.casefold() for statement in reading.statements):
        return True
    if folded.isdecimal() and float(folded) in facts.numbers:
        return True
    words = folded.split()
    texts = [constant.folded for constant in facts.texts]
    if len(words) > 1 and all(any(word in text for text in texts) for word in words):
        return True
    names = facts.column_names | {
        (source.table or source.name).casefold()
        for select in facts.query.selects
        for source in select.sources
    }
    plain = folded.replace(" ", "")
    if mention.kind == "word":
        plain = plain[:STEM]
    return any(plain in name.replace("_", "") for name in names)


def _coded(mention: ValueMention, context: Context) -> bool:
    """Whether a column named like the value's table is compared with a code: `airline = 1`."""
    names = expanded(context.schema)
    words = {word for place in mention.places for word in names.table(place.table).words}
    return any(
        words & names.column(comparison.column.table, comparison.column.name).words
        and all(len(str(literal.value)) <= CODE_LENGTH for literal in comparison.literals)
        for _, comparison in context.comparisons()
    )


def _reason(mention: ValueMention, context: Context) -> str:
    if _coded(mention, context):
        return "coded_word" if mention.kind == "word" else "coded"
    if mention.kind == "quoted" and not mention.places:
        return "unknown_quoted"
    return mention.kind


def _finding(mention: ValueMention, context: Context) -> Finding:
    root = context.query.root
    clause = root.clause(Clause.WHERE) or root.clause(Clause.FROM) or context.query.span
    places = [f"{place.table}.{place.column}" for place in mention.places[:3]]
    suggestion = None
    if mention.places:
        suggestion = f"compare {' or '.join(places)} with '{mention.places[0].value}'"
    return Finding(
        clause=clause,
        reason=_reason(mention, context),
        message=f"'{mention.text}' is named in the question and in no condition",
        evidence={"value": mention.text, "held_by": places},
        suggestion=suggestion,
    )
