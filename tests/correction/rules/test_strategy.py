"""The strategy: what is proposed, in which order, what is dropped, and what is recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from clausewise import check, correct
from clausewise.correction import STRATEGIES, CorrectionTask, EarlierRound, load_strategies
from clausewise.correction.driver import strategy_options
from clausewise.correction.rules import REPAIRS, RulesOptions
from clausewise.databases import Database
from clausewise.errors import InputError
from clausewise.sql import same_statement
from clausewise.types import Case, CaseStatus, ScoredCase

MISSPELT = "SELECT name FROM player WHERE country = 'france'"
FRANCE = "SELECT name FROM player WHERE country = 'France'"
TWO_FAULTS = "SELECT name FROM player WHERE country = 'france' AND best_time = NULL"
BOTH = "SELECT name FROM player WHERE country = 'France' AND best_time IS NULL"


class Judge:
    """Judges queries by `check`; `changed` takes the place of what it says of some of them."""

    def __init__(self, club: Database, question: str) -> None:
        self._club = club
        self._question = question
        self.changed: dict[str, dict[str, object]] = {}

    def scores(self, queries: Sequence[str], *, alone: bool = False) -> list[ScoredCase]:
        assert alone  # what other candidates say is no finding that a repair settles
        return [
            replace(check(self._question, sql, self._club), **self.changed.get(sql, {}))  # type: ignore[arg-type]
            for sql in queries
        ]


def task_for(
    sql: str, club: Database, question: str = "Who is from France?", **options: object
) -> tuple[CorrectionTask, Judge]:
    judge = Judge(club, question)
    case = Case(question_id="check", db_id="club", question=question, predicted_sql=sql)
    (scored,) = judge.scores([sql], alone=True)
    chosen = RulesOptions.model_validate(options)
    return CorrectionTask(scored, case, case, club, judge, options=chosen), judge


def propose(task: CorrectionTask) -> str | None:
    load_strategies()
    return STRATEGIES["rules"].function(task).sql


def test_corrections_name_repair_finding_and_clause(club: Database) -> None:
    scored = check("Who is from France?", MISSPELT, club)
    (found,) = correct([scored], {"club": club}, strategy="rules", margin=None)
    assert (found.changed, found.corrected_sql) == (True, FRANCE)
    repair = found.steps[0]
    assert repair.action == "repair"
    assert [change.kind for change in repair.changes] == ["where"]
    assert repair.evidence["repairs"][0] | {"clause": None} == {
        "repair": "stored_value",
        "may_change_meaning": False,
        "signal": "near_miss_value",
        "reason": "other_spelling",
        "clause": None,
    }
    assert "near_miss_value" in found.reason


def test_a_query_without_findings_is_kept(club: Database) -> None:
    scored = check("Who is from France?", FRANCE, club)
    (found,) = correct([scored], {"club": club}, strategy="rules")
    assert not found.changed
    assert found.reason == "no finding determines a repair"


def test_repairs_are_made_together_first_and_alone_after_a_refusal(club: Database) -> None:
    task, judge = task_for(TWO_FAULTS, club)
    together = STRATEGIES["rules"].function(task)
    assert together.sql == BOTH
    alone = [BOTH.replace("IS NULL", "= NULL"), BOTH.replace("'France'", "'france'")]
    for sql, p_correct in zip(alone, (0.2, 0.6), strict=True):
        judge.changed[sql] = {"p_correct": p_correct}
    proposed = []
    for _ in alone:
        task.earlier += (EarlierRound(together, "refused"),)
        together = STRATEGIES["rules"].function(task)
        proposed.append(together.sql)
    assert proposed == alone[::-1]
    task.earlier += (EarlierRound(together, "refused"),)
    assert propose(task) is None


def test_what_leaves_its_finding_is_not_proposed(club: Database) -> None:
    task, judge = task_for(MISSPELT, club)
    judge.changed[FRANCE] = {"findings": task.scored.findings}
    assert propose(task) is None
    (step,) = task.steps
    assert (step.action, step.sql) == ("discard", FRANCE)
    assert step.evidence["findings_left"] == ["near_miss_value: other_spelling"]


def test_what_does_not_run_is_not_proposed(club: Database) -> None:
    task, judge = task_for(MISSPELT, club)
    judge.changed[FRANCE] = {"status": CaseStatus.NOT_EXECUTABLE, "findings": ()}
    assert propose(task) is None


def test_a_query_that_does_not_run_is_repaired(club: Database) -> None:
    scored = check("Which names?", "SELECT nam FROM club", club)
    assert scored.p_correct == 0.0
    (found,) = correct([scored], {"club": club}, strategy="rules")
    assert found.corrected_sql == "SELECT name FROM club"
    assert found.p_after is not None
    assert found.p_after > 0.0


def test_risky_repairs_are_off_by_default(club: Database) -> None:
    question = "Which player is the oldest member with at least 3 goals?"
    sql = "SELECT name FROM player WHERE goals > 3"
    assert propose(task_for(sql, club, question)[0]) is None
    expected = "SELECT name FROM player WHERE goals >= 3"
    assert propose(task_for(sql, club, question, risky=True)[0]) == expected
    assert propose(task_for(sql, club, question, only="asked_operator")[0]) == expected
    without = {"risky": True, "without": ["asked_operator"]}
    assert propose(task_for(sql, club, question, **without)[0]) is None


def test_options_are_checked_with_names_that_are_near() -> None:
    load_strategies()
    spec = STRATEGIES["rules"]
    given = strategy_options(spec, {"only": "stored_value, known_name", "risky": "true"})
    assert given == RulesOptions(only=("stored_value", "known_name"), risky=True)
    with pytest.raises(InputError, match="did you mean 'stored_value'"):
        strategy_options(spec, {"without": "stored_values"})
    with pytest.raises(InputError, match="only"):
        strategy_options(spec, {"only": 3})


def test_sql_in_a_reply_is_repaired_without_what_surrounds_it(club: Database) -> None:
    scored = check("Who is from France?", f"Sure:\n```sql\n{MISSPELT};\n```\n", club)
    (found,) = correct([scored], {"club": club}, strategy="rules", margin=None)
    assert same_statement(found.corrected_sql or "") == FRANCE


def test_every_repair_says_what_it_settles() -> None:
    assert len(REPAIRS) >= 10
    for name, spec in REPAIRS.items():
        assert spec.name == name
        assert spec.description.endswith(".")
        assert spec.settles
        assert all(spec.settles.values())
