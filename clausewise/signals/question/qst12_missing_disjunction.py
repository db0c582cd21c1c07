"""QST12: the question offers a choice, and the query does not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from clausewise.errors import NotApplicable
from clausewise.question.asked import AskedKind
from clausewise.question.reading import QuestionReading, read_question
from clausewise.question.tokens import word_set
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.linking.constants import facts_of, fold
from clausewise.types import Case, Clause, Cost, Finding, Group, Need

_ALL_OF = ("INTERSECT", "HAVING", "EXISTS", "CASE", "UNION")
"""Keywords of queries that may ask for all of several values."""
_REACH_OF_BOTH = 14
"""Tokens after `both` in which its `and` stands."""
_PICKED = (AskedKind.PLAIN, AskedKind.WHICH, AskedKind.PERSON, AskedKind.COUNT)
_HAVING_BOTH = frozenset({"have", "has", "had", "having", "with", "own", "owns", "in", "are", "is",
                          "use", "run", "running", "owning", "from", "for", "by", "that", "were",
                          "was", "to", "at", "on"})  # fmt: skip
_OFFERS = ("OR", "UNION", "CASE", "NOT", "EXCEPT", "BETWEEN", "<>", "<", "<=", ">", ">=")
"""Keywords and operators that may offer a choice."""


@signal(
    code="QST12",
    name="missing_disjunction",
    group=Group.QUESTION,
    family="question_disjunction",
    clauses={Clause.WHERE, Clause.FROM, Clause.QUERY, Clause.SELECT},
    needs={Need.QUESTION},
    cost=Cost.PARSE,
    version=2,
    reasons={
        "choice": "The question offers a choice, and the query does not.",
        "two_values": "Two values of the choice are demanded at once by AND on one column.",
        "union_for_both": (
            "UNION, or OR over rows of several tables, where the question wants both.",
            "strong",
        ),
        "intersect_for_or": ("INTERSECT where the question offers a choice.", "decisive"),
        "either_for_both": "The reverse: a choice where the question wants both.",
    },
)
def missing_disjunction(case: Case, context: Context) -> Iterator[Finding]:
    """`or`, `either` has no counterpart in the query, or `both` is taken for `either`.

    What it measures
    ----------------
    Whether the question joins conditions by "or", outside comparatives ("two or more"), while the
    query holds no OR, no list of IN with several values, no UNION, CASE or range, and no EXCEPT
    or AND NOT that says the same. The reverse too: "both" with two values of one column, while the
    query takes rows with either.

    Why it points to an error
    -------------------------
    Half of the condition was left out, or both halves were demanded at once.

    Fires on
    --------
    Which singers are from France or Spain? SELECT name FROM singer WHERE country = 'France'

    Stays silent on
    ---------------
    Which singers are from France or Spain? ... WHERE country IN ('France', 'Spain')

    Does not apply when
    -------------------
    The question offers no choice, or one between answers ("which is older, Ann or Bob").

    How to repair
    -------------
    Join the two conditions by OR, or list the values in IN.

    Cost
    ----
    Nothing is run.

    References
    ----------
    None.
    """
    reading = read_question(case)
    if reading.cues("both"):
        yield from _either_for_both(reading, context)
        return
    explained = {word for statement in reading.statements for word in statement.phrase.split()}
    if not reading.disjunctions or "or" in explained:
        raise NotApplicable("the question offers no choice that the evidence does not explain")
    if _compares(reading):
        raise NotApplicable("the question asks which of two it is")
    intersected = _intersected(context)
    if intersected is not None:
        yield intersected
        return
    facts = facts_of(context)
    several = any(len(comparison.literals) > 1 for _, comparison in context.comparisons())
    if facts.query.has_keyword(*_OFFERS) or facts.calls("iif") or several:
        return
    if not any(select.comparisons for select in context.query.selects):
        return
    root = context.query.root
    yield Finding(
        clause=root.clause(Clause.WHERE) or root.clause(Clause.FROM) or context.query.span,
        reason="two_values" if _demands_both(context) else "choice",
        message="the question says 'or', the query offers no choice",
        evidence={"words": [cue.text for cue in reading.disjunctions]},
        suggestion="join the two conditions by OR",
    )


def _either_for_both(reading: QuestionReading, context: Context) -> Iterator[Finding]:
    """Yield a choice between values of one column where the question wants both of them."""
    facts = facts_of(context)
    union = _united(reading, context)
    if union is not None:
        yield union
        return
    if facts.query.has_keyword(*_ALL_OF) or facts.calls("iif", "sum", "count"):
        return
    question = reading.question.casefold()
    for select in context.query.selects:
        tables = [source.table for source in select.sources]
        if len(tables) > len(set(tables)):
            return
        chosen: dict[str, set[str]] = {}
        for comparison in select.comparisons:
            if comparison.operator in ("=", "IN", "LIKE") and not comparison.negated:
                values = {fold(str(literal.value)) for literal in comparison.literals}
                chosen.setdefault(comparison.column.name.casefold(), set()).update(values)
        for comparison in select.comparisons:
            values = chosen.get(comparison.column.name.casefold(), set())
            if len(values) > 1 and all(value in question for value in values):
                yield Finding(
                    clause=comparison.clause,
                    reason="either_for_both",
                    message="the question wants both, the query takes either",
                    evidence={"values": sorted(values)},
                    suggestion="join two queries by INTERSECT, or count that both are there",
                )
                return


def _intersected(context: Context) -> Finding | None:
    """Return a finding where rows must be in both of two sets that differ by one value."""
    for place in context.query.set_operations:
        if place.text.upper().startswith("INTERSECT") and not context.query.has_keyword("OR"):
            return Finding(
                clause=place,
                reason="intersect_for_or",
                message="the question says 'or', the query wants both",
                suggestion="write UNION, or join the two conditions by OR",
            )
    return None


def _united(reading: QuestionReading, context: Context) -> Finding | None:
    """Return a finding where UNION gives what has either and the question wants what has both."""
    both = reading.cues("both")[0].token
    after = reading.lowers[both + 1 : both + _REACH_OF_BOTH]
    if "and" not in after and ("as", "well") not in pairwise(after):
        return None
    picked = not reading.asked or any(item.kind in _PICKED for item in reading.asked)
    if not picked or _lists_both(reading, both):
        return None
    for place in context.query.set_operations:
        if place.text.upper().split() == ["UNION"]:
            return Finding(
                clause=place,
                reason="union_for_both",
                message="the question wants both, the query takes either",
                suggestion="write INTERSECT",
            )
    return None


def _lists_both(reading: QuestionReading, both: int) -> bool:
    """Whether `both` joins what is to be shown (`list both the names and ..`)."""
    before = reading.lowers[both - 1] if both else ""
    return before not in _HAVING_BOTH and before not in word_set("asking", "verbs_after_noun")


def _compares(reading: QuestionReading) -> bool:
    """Whether the choice is between answers: `which is older, Ann or Bob`, `yes or no`."""
    return any(
        item.kind in (AskedKind.WHICH, AskedKind.PERSON, AskedKind.YES_NO) for item in reading.asked
    ) and bool(reading.words & word_set("cues", "comparing"))


def _demands_both(context: Context) -> bool:
    """Whether one column is to equal two values at once."""
    for select in context.query.selects:
        named = [
            (comparison.column.qualifier, comparison.column.name)
            for comparison in select.comparisons
            if comparison.operator == "=" and comparison.clause.kind is Clause.WHERE
        ]
        if len(named) > len(set(named)):
            return True
    return False
