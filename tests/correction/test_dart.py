"""The strategy `dart`: rows in view, refinement by execution, with good and bad replies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clausewise.correction import CorrectionStatus, correct
from clausewise.correction.column_hints import column_hint
from clausewise.databases import Databases, create_database
from clausewise.errors import InputError
from clausewise.llm.templates import PromptFolder
from clausewise.sql import parse
from clausewise.testing.replies import scripted_model
from tests.correction.models import ALL, BROKEN, DAYS, PEOPLE, Kept

pytest.importorskip("openai")

Line = Callable[..., dict[str, Any]]
STAYS: dict[str, Any] = {"rewritten": "", "changed": False}
KEEP: dict[str, Any] = {"reason": "it answers the question", "sql": ""}
NO_COLUMN = "SELECT COUNT(DISTINCT visits.name) FROM visits"


def gives(sql: str, reason: str = "people are to be counted once") -> dict[str, Any]:
    return {"reason": reason, "sql": sql}


@pytest.fixture
def run(databases: Databases, scored: Line, tmp_path: Path) -> Callable[..., Any]:
    """Correct one query: `run(model, sql, option=value)`, without an audit."""

    def ran(model: Kept, sql: str = ALL, *, margin: Any = None, **options: Any) -> Any:
        case = scored(sql, [])
        with scripted_model(model, tmp_path) as llm:
            (found,) = correct(
                [case], databases, strategy="dart", llm=llm, options=options, margin=margin
            )
        assert model.left == 0
        return found

    return ran


def actions(found: Any) -> list[str]:
    return [step.action for step in found.steps]


def test_a_good_reply_is_taken_when_the_model_is_content(run: Any) -> None:
    model = Kept(STAYS, gives(PEOPLE), KEEP)
    found = run(model)
    assert (found.status, found.corrected_sql) == (CorrectionStatus.CHANGED, PEOPLE)
    assert found.reason == KEEP["reason"]
    assert actions(found) == ["rewrite", "refine", "refine", "judge"]
    assert found.steps[1].sql == PEOPLE
    assert found.steps[1].evidence["rows_shown"] == "1 row of 1 column"
    assert found.cost["calls"] == 3


def test_only_the_first_prompt_the_latest_query_and_its_result_are_in_view(run: Any) -> None:
    model = Kept(STAYS, gives(DAYS), gives(PEOPLE), KEEP)
    run(model)
    _, first, second, third = model.prompts
    start = first[: first.index("The SQL query that is to answer")]
    assert "TABLE visits: all its rows\nid | person | day\n1 | 'Ann' | '2020-01-01'\n" in start
    assert all(prompt.startswith(start) for prompt in (second, third))
    for prompt, sql, result in ((first, ALL, "3"), (second, DAYS, "1"), (third, PEOPLE, "2")):
        assert sql in prompt
        assert f"\n{result}\n" in prompt[len(start) :]
        assert sum(other in prompt for other in (ALL, DAYS, PEOPLE)) == 1


def test_there_are_at_most_three_refinements(run: Any) -> None:
    more = [DAYS, "SELECT MAX(id) FROM visits", PEOPLE]
    found = run(Kept(STAYS, *map(gives, more)))
    assert found.corrected_sql == PEOPLE
    assert actions(found).count("refine") == 3
    (once,) = [run(Kept(STAYS, gives(DAYS)), refinements=1)]
    assert once.corrected_sql == DAYS


def test_a_useless_reply_changes_nothing(run: Any) -> None:
    for reply in (KEEP, gives(ALL), gives("null")):
        found = run(Kept(STAYS, reply))
        assert (found.status, found.corrected_sql) == (CorrectionStatus.KEPT, ALL)
        assert found.reason.startswith("the model ends with the given query: ")


def test_the_auditor_keeps_a_harmful_reply_out(run: Any) -> None:
    harmful = "SELECT COUNT(*) FROM visits WHERE person = 'nobody'"
    found = run(Kept(STAYS, gives(harmful), KEEP), margin=0.0)
    assert (found.status, found.corrected_sql) == (CorrectionStatus.KEPT, ALL)
    assert "the detector does not prefer" in found.reason


def test_what_cannot_run_is_shown_with_the_tables_that_have_the_column(
    run: Any, folder: Path
) -> None:
    path = folder / "clinic" / "clinic.sqlite"
    path.unlink()
    create_database(
        path,
        "CREATE TABLE visits (id INTEGER, person_id INTEGER);"
        "CREATE TABLE people (id INTEGER, name TEXT); CREATE TABLE towns (name TEXT);",
    )
    right = "SELECT COUNT(DISTINCT person_id) FROM visits"
    model = Kept(STAYS, gives(right), KEEP)
    found = run(model, NO_COLUMN)
    assert found.corrected_sql == right
    assert "no such column: visits.name" in model.prompts[1]
    assert "name is a column of: people, towns" in model.prompts[1]
    assert found.steps[1].evidence["hint"] == "name is a column of: people, towns"
    assert "What it returns" not in model.prompts[1]
    assert "What is said against it" not in model.prompts[2]


def test_hints_are_for_columns_only(databases: Databases) -> None:
    schema = databases.get("clinic").schema

    def hint(sql: str, error: str) -> str:
        return column_hint(parse(sql, tables=schema.names()), error, schema)

    sql = "SELECT v.persn, id FROM visits v JOIN visits w"
    near = "no table has a column persn; names like it: visits.person"
    assert hint(sql, "no such column: v.persn") == near
    assert hint(sql, "ambiguous column name: id") == "id is a column of: visits"
    assert hint(sql, "no such table: id") == ""
    assert hint(sql, "no such column: idea") == ""
    assert hint("SELECT zzz FROM visits", "no such column: zzz") == "no table has a column zzz"
    assert column_hint(None, "no such column: id", schema) == ""


def test_a_last_query_that_is_refused_gives_way_to_the_latest_that_ran(run: Any) -> None:
    found = run(Kept(STAYS, gives(PEOPLE), gives(BROKEN), gives(BROKEN + "2")))
    assert found.corrected_sql == PEOPLE
    assert found.reason.startswith("the last query is refused: ")
    (kept,) = [run(Kept(STAYS, gives(BROKEN), gives("")), refinements=2)]
    assert (kept.status, kept.corrected_sql) == (CorrectionStatus.KEPT, ALL)


def test_a_malformed_answer_ends_only_what_it_was_asked_for(run: Any) -> None:
    bad = ["no JSON"] * 2  # each is asked for once more
    found = run(Kept(*bad, gives(PEOPLE), *bad))
    assert (found.status, found.corrected_sql) == (CorrectionStatus.CHANGED, PEOPLE)
    assert "malformed" in found.steps[0].message
    assert found.reason == "the refinement ended with a malformed answer"
    kept = run(Kept(*bad, *bad))
    assert (kept.status, kept.corrected_sql) == (CorrectionStatus.KEPT, ALL)
    refined = run(Kept(STAYS, *bad, KEEP), regenerate=True)
    assert refined.status is CorrectionStatus.KEPT


def test_a_model_that_fails_loses_nothing(run: Any) -> None:
    model = Kept(STAYS, gives(PEOPLE))
    found = run(model)  # the third request is refused
    assert (found.status, found.corrected_sql) == (CorrectionStatus.FAILED, ALL)
    assert [step.sql for step in found.steps] == [None, PEOPLE, None]


def test_a_query_is_written_afresh_where_that_is_wanted(run: Any) -> None:
    rewritten = {"rewritten": "How many different persons are in visits?", "changed": True}
    model = Kept(rewritten, gives(PEOPLE), KEEP)
    found = run(model, regenerate=True)
    assert found.corrected_sql == PEOPLE
    assert actions(found) == ["rewrite", "generate", "refine", "judge"]
    assert ALL not in model.prompts[1]
    assert all(rewritten["rewritten"] in prompt for prompt in model.prompts[1:])
    alone = Kept(gives(PEOPLE))
    baseline = {"regenerate": True, "rewrite": False, "rows": 0, "refinements": 0}
    assert run(alone, **baseline).corrected_sql == PEOPLE
    assert "Rows of the tables" not in alone.prompts[0]


def test_forbidden_parts_are_refused_without_being_run(run: Any) -> None:
    left = "SELECT COUNT(*) FROM visits v LEFT OUTER JOIN visits w ON v.id = w.id"
    model = Kept(STAYS, gives("SELECT * FROM visits"), gives(PEOPLE), KEEP)
    found = run(model, left, forbid="Left  join, SELECT *")
    assert found.corrected_sql == PEOPLE
    assert "LEFT JOIN must not be used here" in model.prompts[1]
    assert "SELECT * must not be used here" in model.prompts[2]
    free = Kept(STAYS, KEEP)
    assert run(free, left).status is CorrectionStatus.KEPT
    with pytest.raises(InputError, match=r"option 'forbid\.0' of 'dart'"):
        run(Kept(), forbid="HAVING")


def test_rows_are_not_sent_where_none_may(
    databases: Databases, scored: Line, tmp_path: Path
) -> None:
    with (
        scripted_model(Kept(), tmp_path, send_values=False) as llm,
        pytest.raises(InputError, match="hold rows, and no cell may be sent"),
    ):
        correct([scored()], databases, strategy="dart", llm=llm)


def test_the_prompts_read_as_they_should() -> None:
    given = {
        "schema": "TABLE t", "question": "How many?", "rewritten": None, "evidence": None,
        "rows": "TABLE t: no rows", "sql": "SELECT x", "error": "", "hint": "", "result": "x\n1",
        "rows_shown": "1 row of 1 column",
    }  # fmt: skip
    folder = PromptFolder()
    shown = folder.render("dart_refine", given).user
    assert shown.startswith(
        "The schema of the database, with some of its values where they are known:\n"
        '<data label="schema">\nTABLE t\n</data>\n\nThe user\'s question:\n'
        '<data label="question">\nHow many?\n</data>\n\nRows of the tables. '
    )
    assert (
        '</data>\n\nThe SQL query that is to answer the question:\n<data label="query">\nSELECT x\n'
        '</data>\n\nWhat it returns, 1 row of 1 column:\n<data label="result">\nx\n1\n</data>\n\n'
        "Task: decide"
    ) in shown
    refused = folder.render("dart_refine", given | {"error": "no x", "hint": "x is nowhere"}).user
    assert (
        '</data>\n\nIt cannot be used. What is said against it:\n<data label="message">\nno x\n'
        '</data>\n\nWhere the schema has the columns in question:\n<data label="columns">\n'
        "x is nowhere\n</data>\n\nTask: write the query so"
    ) in refused
    bare = folder.render("dart_generate", given | {"rows": ""}).user
    assert "</data>\n\nTask: write the query whose" in bare
