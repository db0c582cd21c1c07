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
from clausewise.sql.model import Comparison
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
        "row_by_row": (
            "`never`, `not ... any`: the query asks for a joined row that is otherwise, and not "
            "for none at all.",
            "strong",
        ),
        "only_filled": "The query's only denial is IS NOT NULL: what is there is asked for.",
        "absent": "The word may belong to a value or a phrase: `no`, `missing`, `excluding`.",
    },
)
def missing_negation(case: Case, context: Context) -> Iterator[Finding]:
    """`not`, `never`, `without` or `except` has no counterpart in the query.

    What it measures
    ----------------
    Whether the question denies something of all rows (`never`, `not any`), while the query only
    keeps joined rows that are otherwise; or denies something, outside comparatives ("no more
    than"), while the query holds no NOT, EXCEPT, `<>`, IS NULL, comparison with 0 or with a value
    that denies by itself, and no `<` or `>` that may stand for it.

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
    place = _row_by_row(context) if _excludes_all(negations, reading) else None
    if place is not None:
        yield Finding(
            clause=place.clause,
            reason="row_by_row",
            message=f"the question says '{negations[0].text}': {place.clause.text} also passes "
            "if another joined row has the value",
            evidence={"word": negations[0].text},
            suggestion="use NOT EXISTS or NOT IN over all joined rows",
        )
        return
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


def _excludes_all(negations: list[Cue], reading: QuestionReading) -> bool:
    """Whether a denial is of all rows of a thing: `never`, `not ... any`, `no ... at all`."""
    for cue in negations:
        after = reading.lowers[cue.token + 1 : cue.token + 6]
        if cue.text == "never" or {"any", "anything", "ever", "single", "since"} & set(after):
            return True
    return False


def _row_by_row(context: Context) -> Comparison | None:
    """Return a negated condition on a joined table that has several rows for one that is shown."""
    query = context.query
    if len(query.selects) > 1 or query.set_operations or query.root.clause(Clause.HAVING):
        return None
    select = query.root
    shown = {id(use.source) for one in select.projections for use in one.columns}
    joined = {id(join.source): join for join in select.joins}
    for one in select.comparisons:
        source = one.column.source
        denies = one.operator == "<>" or (one.negated and one.operator != "IS")
        earlier = one.operator in ("<", "<=") and one.literals and one.literals[0].is_text
        if source is None or id(source) in shown or not (denies or earlier):
            continue
        if id(source) in joined and joined[id(source)].kind == "inner" and select.is_conjunct(one):
            return one
    return None


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
