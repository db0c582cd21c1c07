"""What is said of a case itself, beside what its signals find: how it was checked, or why not."""

from __future__ import annotations

from clausewise.sql.model import Query
from clausewise.types import (
    NOT_RUN,
    WRAPPED_QUERY,
    CaseStatus,
    Clause,
    ClauseSpan,
    Finding,
    Level,
)


def closing_notice(place: ClauseSpan, reason: str, status: CaseStatus) -> Finding:
    """Return the notice why no signal, or hardly any, could look at a case."""
    return Finding(
        clause=place,
        score=1.0,
        message=reason,
        evidence={"position": place.start},
        level=Level.ERROR,
        signal=status.value,
        code="CASE01" if status is CaseStatus.UNPARSABLE else "CASE02",
    )


def not_run_notice(query: Query) -> Finding:
    """Return the notice that there is no data to run the query on."""
    return Finding(
        clause=query.span,
        score=0.0,
        message="the query was not run: only the schema was given",
        evidence={"checked_on": "schema"},
        suggestion="Give the database, so that values and results are checked too.",
        level=Level.INFO,
        signal=NOT_RUN,
        code="CASE04",
        reason="no_data",
    )


def wrapped_notice(text: str, bare: str) -> Finding:
    """Return the notice that only a part of the predicted text was inspected."""
    start = len(bare) - len(bare.lstrip())
    end = len(bare.rstrip())
    around = (text[:start], text[end:])
    left_out = around[0] if around[0].strip() else around[1]
    begin = (0 if left_out is around[0] else end) + len(left_out) - len(left_out.lstrip())
    shown = left_out.strip()
    return Finding(
        clause=ClauseSpan(Clause.QUERY, shown, begin, begin + len(shown)),
        score=0.0,
        message="only the SQL was inspected: the text around it was left out",
        evidence={"before": around[0], "after": around[1], "inspected": [start, end]},
        suggestion="Give the SQL alone.",
        level=Level.INFO,
        signal=WRAPPED_QUERY,
        code="CASE03",
        reason="wrapped",
    )
