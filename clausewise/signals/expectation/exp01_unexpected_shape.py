"""EXP01: the query has another shape than questions worded like this one ask for."""

from __future__ import annotations

import math
from collections.abc import Iterator

from clausewise.errors import NotApplicable
from clausewise.expectation import ATTRIBUTES
from clausewise.expectation.shape import LARGEST_GAP
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.expectation._phrases import PHRASES
from clausewise.signals.linking.expected import expected_shape, observed_shape, shape_gaps
from clausewise.signals.reasons import CONVENTION, Grade
from clausewise.sql.model import Query
from clausewise.types import Case, Clause, ClauseSpan, Cost, Finding, Group, Need

LEAST_EXPECTED = 0.85
"""Probability in [0, 1] from which a class is clearly expected."""
MOST_OBSERVED = 0.02
"""Probability in [0, 1] up to which the query's class is a surprise."""
UNTOLD = frozenset({"n_tables", "n_conditions"})
"""Attributes that depend on the schema more than on words: they are no findings."""
_LEAST_GAP = math.floor(1000 * math.log(LEAST_EXPECTED / MOST_OBSERVED)) / 1000
FROM_DATA = frozenset(
    {"order", "having", "disjunction", "pattern", "direction", "null_check", "set_operation"}
    | {"arithmetic", "date", "conditional", "n_values"}
)
"""Attributes that the data may demand beyond the words, such as IS NULL for what is not paid yet,
or that change no row, such as needless sorting: only what the words ask for can be missing."""
_STRONG = frozenset(
    {"n_selected", "aggregate", "grouping", "order", "limit", "extremum", "extremum_of"}
    | {"n_values", "nested_figure", "arithmetic"}
)
"""Attributes that a question's words nearly fix; where they differ, the answer differs."""
_SLIGHT = frozenset({"pattern", "set_operation", "date", "conditional"})
"""Attributes of which the data decides much: how texts and dates are stored."""
_PLACES = {
    Clause.SELECT: (Clause.SELECT,),
    Clause.FROM: (Clause.JOIN, Clause.FROM),
    Clause.WHERE: (Clause.WHERE, Clause.HAVING, Clause.FROM),
    Clause.GROUP_BY: (Clause.GROUP_BY, Clause.SELECT),
    Clause.HAVING: (Clause.HAVING, Clause.GROUP_BY, Clause.SELECT),
    Clause.ORDER_BY: (Clause.ORDER_BY, Clause.SELECT),
    Clause.LIMIT: (Clause.LIMIT, Clause.ORDER_BY, Clause.SELECT),
    Clause.SET_OPERATION: (Clause.WHERE, Clause.FROM),
}
"""The clause of an attribute to the clauses that are named, the first that the query has."""


def _grade(name: str) -> Grade:
    return Grade.STRONG if name in _STRONG else Grade.SLIGHT if name in _SLIGHT else Grade.MODERATE


@signal(
    code="EXP01",
    name="unexpected_shape",
    group=Group.QUESTION,
    family="expected_shape",
    clauses={*_PLACES, Clause.JOIN, Clause.QUERY},
    needs={Need.QUESTION},
    cost=Cost.PARSE,
    version=2,
    reasons={
        name: (of.meaning, _grade(name), CONVENTION)
        if name == "order"
        else (of.meaning, _grade(name))
        for name, of in ATTRIBUTES.items()
        if name not in UNTOLD
    },
)
def unexpected_shape(case: Case, context: Context) -> Iterator[Finding]:
    """The question's wording asks for another kind of query.

    What it measures
    ----------------
    A model learned from gold pairs of over 250 databases gives, from the words of the question and
    its evidence, how probable each class of an attribute is: how many columns are shown, which
    figure, whether it is grouped, sorted or cut, how many conditions there are, in which direction
    they point. A finding is an attribute whose class in the query has a probability of at most
    0.02, while another class has at least 0.85. What the data may demand beyond
    the words, such as a check for missing values, counts only where the words ask for it and the
    query lacks it.

    Why it points to an error
    -------------------------
    Questions that are worded alike are answered by queries of the same shape, whatever the
    database is about. A query of another shape answers another question.

    Fires on
    --------
    How many singers are there? SELECT name FROM singer

    Stays silent on
    ---------------
    How many singers are there? SELECT COUNT(*) FROM singer

    Does not apply when
    -------------------
    Too few words of the question are known, or it is in another language than English.

    How to repair
    -------------
    Read the question again for what the finding names, and write the query in the expected shape
    where the question says so. The suggestion says which shape that is.

    Cost
    ----
    Nothing is run.

    References
    ----------
    None.
    """
    expected = context.once(expected_shape)
    if expected is None:
        raise NotApplicable("too few words of the question are known")
    classes = context.once(observed_shape)
    for name, gap in context.once(shape_gaps).items():
        if gap < _LEAST_GAP:
            continue
        probabilities = expected.probabilities[name]
        best = max(probabilities, key=probabilities.__getitem__)
        here = probabilities[classes[name]]
        if not is_told(name, classes[name], best, here, probabilities[best]):
            continue
        phrases = PHRASES[name]
        yield Finding(
            clause=_place(context.query, name),
            reason=name,
            measure=max(0.0, round((gap - _LEAST_GAP) / (LARGEST_GAP - _LEAST_GAP), 3)),
            message=(
                f"judging by other questions, this one asks for {phrases[best].asked}; "
                f"this query {phrases[classes[name]].seen}"
            ),
            evidence={
                "attribute": name,
                "expected": best,
                "p_expected": round(probabilities[best], 4),
                "observed": classes[name],
                "p_observed": round(here, 4),
            },
            suggestion=phrases[best].repair,
        )


def is_told(name: str, label: str, best: str, p_label: float, p_best: float) -> bool:
    """Whether a class of a query is a finding where another is the most probable one."""
    if name in UNTOLD or p_label > MOST_OBSERVED or p_best < LEAST_EXPECTED:
        return False
    labels = ATTRIBUTES[name].classes
    if name == "n_values":
        return labels.index(label) < labels.index(best)
    return name not in FROM_DATA or best != labels[0]


def _place(query: Query, name: str) -> ClauseSpan:
    """Return the clause that shows the attribute; where it is missing, the one it would change."""
    wanted = ATTRIBUTES[name].clause
    if wanted is Clause.SET_OPERATION and query.set_operations:
        return query.set_operations[0]
    for kind in _PLACES[wanted]:
        for select in (query.root, *query.selects):
            clause = select.clause(kind)
            if clause is not None:
                return clause
    return query.span
