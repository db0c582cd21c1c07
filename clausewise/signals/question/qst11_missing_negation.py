"""QST11: the question denies something, and the query does not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clausewise.errors import NotApplicable
from clausewise.question.reading import Cue, QuestionReading, read_question
from clausewise.question.tokens import word_set
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.linking.constants import QueryFacts, facts_of
from clausewise.types import Case, Clause, Cost, Finding, Group, Need

_DENIES = ("NOT", "EXCEPT", "<>", "ISNULL", "NOTNULL", "<", "<=", "LEFT", "ELSE")
_REASONS = {
    "without": "without",
    "no": "without",
    "lacking": "without",
    "lack": "without",
    "lacks": "without",
    "except": "excepted",
    "excluding": "excepted",
}
_TELLING = frozenset(
    {"include", "show", "list", "count", "return", "repeat", "display",
     "give", "duplicate", "consider", "output", "need", "want", "care", "know"}
)  # fmt: skip
"""Verbs that after `do not` say how to answer, and of which things nothing."""
_REPEATS = frozenset({"duplicate", "duplicates", "repetition", "repetitions", "repeating",
                      "repeats", "duplication", "longer", "matter"})  # fmt: skip
_DENYING_WORD = re.compile(
    r"(?:non|un|in|dis|no|not)[-_ ]?(?:active|valid|paid|available|complete|known|employ|approv|"
    r"assign|verif|publish|finish|marri|contin|qualif|resolv|return|enabl|\b).*"
    r"|(?:closed|cancell?ed|failed|missing|absent|expired|retired|rejected|denied|dead|empty).*"
)
"""Values and columns that deny by themselves: `inactive`, `unpaid`, `cancelled`."""
_LEFT_OUT = frozenset(
    {"ignored", "ignore", "excluded", "out", "considered", "matter", "compared", "versus",
     "counted", "skip", "needed", "missing", "least", "disregarded", "skipped", "both", "longer"}
)  # fmt: skip
"""Words that say that rows without a value do not count."""
_PLAIN = frozenset({"not", "never", "neither", "n't", "cannot"})


@signal(
    code="QST11",
    name="missing_negation",
    group=Group.QUESTION,
    family="question_negation",
    clauses={Clause.WHERE, Clause.FROM, Clause.QUERY, Clause.SELECT},
    needs={Need.QUESTION},
    cost=Cost.PARSE,
    version=3,
    reasons={
        "denied": "The question denies plainly: `not`, `never`.",
        "without": (
            "`without`, `no` or `lacking` before a thing that the rows must not have.",
            "strong",
        ),
        "excepted": "`except`, `excluding`: the rest may be said otherwise.",
        "only_filled": "The query's only denial is IS NOT NULL: what is there is asked for.",
        "absent": "The word may belong to a value or a phrase: `no`, `missing`, `excluding`.",
    },
)
def missing_negation(case: Case, context: Context) -> Iterator[Finding]:
    """`not`, `never`, `without` or `except` has no counterpart in the query.

    What it measures
    ----------------
    Whether the question denies something, outside comparatives ("no more than"), while the query
    holds no NOT, EXCEPT, `<>`, IS NULL, comparison with 0 or with a value that denies by itself,
    and no `<` or `>` that may stand for it.

    Why it points to an error
    -------------------------
    The rows that were to be left out are answered with.

    Fires on
    --------
    Which singers are not from France? SELECT name FROM singer WHERE country = 'France'

    Stays silent on
    ---------------
    Which singers are not from France? SELECT name FROM singer WHERE country <> 'France'

    Does not apply when
    -------------------
    The question denies nothing, or the evidence says what its denial means.

    How to repair
    -------------
    Add NOT, NOT IN, EXCEPT, `<>` or IS NULL where the question denies.

    Cost
    ----
    Nothing is run.

    References
    ----------
    None.
    """
    reading = read_question(case)
    explained = set(reading.evidence.lower().replace("\u2019", "'").split())
    negations = [
        cue
        for cue in reading.negations
        if cue.text not in explained and not _instructs(cue, reading)
    ]
    if not negations:
        raise NotApplicable("the question denies nothing that the evidence does not explain")
    facts = facts_of(context)
    only_filled = _only_asks_for_values(facts) and not _LEFT_OUT & set(reading.lowers)
    if (_denies(facts) and not only_filled) or 0.0 in facts.numbers:
        return
    denying = word_set("cues", "negation") | {"none", "non"}
    if any(denying & set(constant.folded.split()) for constant in facts.texts):
        return
    if any(constant.folded in ("", "f", "n", "false", "no") for constant in facts.texts):
        return
    if any(_says_no(name) for name in facts.column_names):
        return
    if any(_says_no(constant.folded) for constant in facts.texts):
        return
    cue = negations[0]
    plain = cue.text in _PLAIN or cue.text.endswith("n't")
    root = context.query.root
    reason = "denied" if plain else _REASONS.get(cue.text, "absent")
    yield Finding(
        clause=root.clause(Clause.WHERE) or root.clause(Clause.FROM) or context.query.span,
        reason="only_filled" if only_filled else reason,
        message=f"the question says '{cue.text}', the query "
        + ("only leaves out what is NULL" if only_filled else "denies nothing"),
        evidence={"word": cue.text},
    )


def _instructs(cue: Cue, reading: QuestionReading) -> bool:
    """Whether the word says how to answer: `do not repeat names`, `without duplicates`."""
    after = reading.lowers[cue.token + 1 : cue.token + 3]
    before = reading.lowers[cue.token - 1 : cue.token] if cue.token else ()
    if set(after) & _REPEATS:
        return True
    ordered = before in (("do",), ("please",)) or cue.text == "don't"
    return ordered and bool(set(after[:1]) & _TELLING)


def _says_no(text: str) -> bool:
    return _DENYING_WORD.fullmatch(text) is not None


def _only_asks_for_values(facts: QueryFacts) -> bool:
    """Whether the query's only denials are IS NOT NULL, outside of an aggregate's condition."""
    filled = [
        one
        for select in facts.query.selects
        for one in select.comparisons
        if one.operator == "IS" and one.negated
    ]
    tests = sum(literal.value is None and literal.operator == "IS" for literal in facts.literals)
    denials = sum(keyword.word in _DENIES for keyword in facts.query.keywords)
    return bool(filled) and denials == tests == len(filled)


def _denies(facts: QueryFacts) -> bool:
    """Whether a keyword, an operator or IS NULL may stand for a denial."""
    is_null = any(literal.value is None and literal.operator == "IS" for literal in facts.literals)
    return is_null or facts.query.has_keyword(*_DENIES)
