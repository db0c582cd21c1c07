"""Reports that lie, and odd text: a repair never fails, and never yields what does not parse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from clausewise.correction.rules import REPAIRS, suggest
from clausewise.databases import Database
from clausewise.signals import SIGNALS, select_signals
from clausewise.sql import parse
from clausewise.types import (
    Case,
    CaseStatus,
    Clause,
    ClauseSpan,
    Finding,
    OutcomeStatus,
    ScoredCase,
    Verdict,
)

QUERIES = [
    "SELECT name FROM club WHERE city = 'jesenik' -- where",
    "SELECT T1.name, COUNT(*) AS n /* n */ FROM club T1 JOIN player T2 ON T1.club_id = T2.club_id "
    "WHERE T2.goals >= 3 OR NOT T2.best_time = NULL GROUP BY T1.name ORDER BY n DESC, 1 LIMIT 1",
    "SELECT goals/matches, (1+2) / 3 FROM player WHERE 3 < goals AND country IN ('a', 'b')",
    "SELECT name FROM club WHERE club_id NOT IN (SELECT club_id FROM trial UNION SELECT 1)",
    "SELECT MAX(name), MIN(city) FROM club WHERE club_id==(SELECT club_id FROM trial)",
    "WITH x AS (SELECT * FROM club) SELECT x.nam FROM x NATURAL JOIN player ORDER BY x.name",
    'SELECT "order", [name], `city` FROM club INTERSECT SELECT 1, 2, 3',
    "SELECT nosuch.name, club.nosuch, * FROM club JOIN player USING (club_id)",
    "SELECT COUNT(DISTINCT name), COUNT(name) FROM club c LEFT JOIN trial t USING (club_id)",
]
EVIDENCE: list[dict[str, Any]] = [
    {},
    {
        "probable_value": "O'Hara\n-- %_",
        "wanted": ">=",
        "tables_enough": ["club"],
        "names": ["order"],
        "holds": "number",
        "other_column": "club.order",
    },
    {"probable_value": 3, "wanted": ["x"], "tables_enough": 1, "names": "x", "other_column": {}},
    {"wanted": "1); DROP TABLE club; --", "tables_enough": ["player"], "names": [None]},
]


def _spans(sql: str) -> Iterator[tuple[int, int]]:
    query = parse(sql)
    yield 0, len(sql)
    for select in query.selects:
        pieces: list[Any] = [select.piece, *select.clauses, *(j.clause for j in select.joins)]
        pieces += [one.piece for one in select.projections + select.order_by + select.aggregates]
        pieces += [one.clause for one in select.comparisons + select.subquery_filters]
        pieces += [one.piece for one in select.literals + select.columns + select.sources]
        yield from ((piece.start, piece.end) for piece in pieces)
    yield from ((place.start, place.end) for place in query.set_operations)


def _scored(sql: str, findings: tuple[Finding, ...]) -> ScoredCase:
    return ScoredCase(
        question_id=1,
        db_id="club",
        predicted_sql=sql,
        p_correct=0.5,
        verdict=Verdict.INCORRECT,
        status=CaseStatus.OK,
        findings=findings,
        signals=dict.fromkeys(["near_miss_value"], OutcomeStatus.FIRED),
    )


@pytest.mark.parametrize("sql", QUERIES)
def test_whatever_a_report_says_what_comes_out_parses(sql: str, club: Database) -> None:
    case = Case(question_id=1, db_id="club", question="Which?", predicted_sql=sql)
    for start, end in sorted(set(_spans(sql))):
        span = ClauseSpan(Clause.WHERE, sql[start:end], start, end)
        for evidence in EVIDENCE:
            for spec in REPAIRS.values():
                for signal, reasons in spec.settles.items():
                    finding = Finding(
                        span, signal=signal, reason=min(reasons), evidence=evidence, message="m"
                    )
                    made = suggest(_scored(sql, (finding,)), case, club, only=[spec.name])
                    for one in made:
                        assert parse(one.sql).statement == "SELECT"
                        club.compile(one.sql)


@pytest.mark.parametrize(
    "text",
    ["", "nothing", "DROP TABLE club", "SELECT 1; SELECT 2", "SELECT '", "```sql\n```", "\0", "("],
)
def test_text_that_is_no_query_has_no_repairs(text: str, club: Database) -> None:
    span = ClauseSpan(Clause.QUERY, text[:3], 0, len(text[:3]))
    finding = Finding(span, signal="null_trap", reason="never_true")
    case = Case(question_id=1, db_id="club", question="?", predicted_sql=text or " ")
    assert suggest(_scored(text, (finding,)), case, club) == ()


def test_a_clause_that_stands_elsewhere_is_left_alone(club: Database) -> None:
    sql = "SELECT name FROM player WHERE best_time = NULL"
    case = Case(question_id=1, db_id="club", question="?", predicted_sql=sql)
    for start, text in [(0, "best_time = NULL"), (30, "best_time = 1"), (900, ""), (-5, "x")]:
        span = ClauseSpan(Clause.WHERE, text, start, start + len(text))
        finding = Finding(span, signal="null_trap", reason="never_true")
        assert suggest(_scored(sql, (finding,)), case, club) == ()


def test_repairs_settle_reasons_that_signals_have() -> None:
    select_signals()
    for spec in REPAIRS.values():
        for signal, reasons in spec.settles.items():
            assert reasons <= set(SIGNALS[signal].reasons), spec.name
