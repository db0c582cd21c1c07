from dataclasses import replace

import pytest

import clausewise as cw
from clausewise.datasets import sample_dir
from clausewise.models.pieces import ECHO, echoes
from clausewise.models.waiving import WAIVED_ATTRIBUTES, judged, shown
from clausewise.types import (
    Case,
    CaseStatus,
    Clause,
    ClauseSpan,
    Finding,
    Inspection,
    Level,
    Outcome,
    OutcomeStatus,
    Strictness,
)

SQL = "SELECT a, b FROM t WHERE x = 'y' AND z = 1"
BOOKSHOP = sample_dir() / "databases" / "bookshop" / "bookshop.sqlite"


def place(text: str, kind: Clause) -> ClauseSpan:
    start = SQL.index(text)
    return ClauseSpan(kind, text, start, start + len(text))


def finding(signal: str, reason: str, span: ClauseSpan, score: float = 0.5) -> Finding:
    return Finding(span, score, signal=signal, reason=reason, level=Level.ERROR)


def inspection(*findings: Finding) -> Inspection:
    outcomes = {
        signal: Outcome(
            signal,
            OutcomeStatus.FIRED,
            tuple(one for one in findings if one.signal == signal),
        )
        for signal in dict.fromkeys(one.signal for one in findings)
    }
    case = Case(question_id=1, db_id="t", question="?", predicted_sql=SQL)
    expectation = {"order": 1.0, "aggregate": 2.0}
    return Inspection(case, CaseStatus.OK, None, outcomes, {}, expectation=expectation)


EXTRA = finding("projection_mismatch", "key_shown", place("b", Clause.SELECT))
FEWER = finding("projection_mismatch", "too_few", place("a", Clause.SELECT))


def test_a_signal_that_found_conventions_only_says_nothing() -> None:
    seen = judged(inspection(EXTRA), Strictness.RELAXED)
    assert seen.outcomes["projection_mismatch"].status is OutcomeStatus.NOT_APPLICABLE
    assert not WAIVED_ATTRIBUTES & set(seen.expectation)
    assert seen.expectation["aggregate"] == 2.0


def test_what_else_it_found_counts() -> None:
    seen = judged(inspection(EXTRA, FEWER), Strictness.RELAXED)
    assert seen.outcomes["projection_mismatch"].findings == (FEWER,)


def test_strict_judges_by_all() -> None:
    item = inspection(EXTRA)
    assert judged(item, Strictness.STRICT) is item


def test_conventions_are_shown_as_information_in_their_place() -> None:
    item = inspection(EXTRA, FEWER)
    weighed = judged(item, Strictness.RELAXED).outcomes
    contributing = {
        name: replace(of, findings=tuple(replace(one, contribution=1.5) for one in of.findings))
        for name, of in weighed.items()
    }
    (extra, fewer) = shown(contributing, item.outcomes, Strictness.RELAXED)[
        "projection_mismatch"
    ].findings
    assert (extra.reason, extra.level, extra.contribution) == ("key_shown", Level.INFO, 0.0)
    assert (fewer.reason, fewer.level, fewer.contribution) == ("too_few", Level.ERROR, 1.5)


def test_one_place_of_a_condition_counts_once() -> None:
    literal, comparison = place("'y'", Clause.WHERE), place("x = 'y'", Clause.WHERE)
    strong = finding("near_miss_value", "code", literal, 0.9)
    weak = finding("empty_predicate", "empties_its_clause", comparison, 0.7)
    elsewhere = finding("idle_predicate", "always_true", place("z = 1", Clause.WHERE), 0.2)
    assert echoes(inspection(strong, weak, elsewhere)) == {
        ("empty_predicate", "empties_its_clause")
    }
    assert 0.0 < ECHO < 1.0


def test_other_clauses_are_other_pieces() -> None:
    shown_twice = [
        finding(signal, "found", place("a, b", Clause.SELECT)) for signal in ("one", "two")
    ]
    assert not echoes(inspection(*shown_twice))


@pytest.mark.parametrize(("conventions", "verdict"), [("relaxed", "correct"), ("strict", None)])
def test_a_column_more_moves_nothing_for_people(conventions: str, verdict: str | None) -> None:
    question = "Which books cost more than 20? Give the titles."
    where = "FROM books WHERE price > 20"
    asked = cw.check(question, f"SELECT title {where}", BOOKSHOP, conventions=conventions)
    more = cw.check(question, f"SELECT book_id, title {where}", BOOKSHOP, conventions=conventions)
    assert asked.p_correct is not None
    assert more.p_correct is not None
    if verdict is None:
        assert more.p_correct < asked.p_correct - 0.1
    else:
        assert more.verdict.value == verdict
        assert more.p_correct == pytest.approx(asked.p_correct, abs=0.1)
        assert [one.level for one in more.findings if one.contribution == 0.0]
