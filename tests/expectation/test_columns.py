"""What a question leads one to expect of the columns, and what a query uses."""

from typing import Any

import numpy as np
import pytest

from clausewise.databases.model import Column, ForeignKey, Schema, Table
from clausewise.expectation.columns import expected_columns
from clausewise.expectation.columns_gaps import GAPS, MOST, column_gaps, columns_in_query
from clausewise.expectation.columns_inputs import column_inputs
from clausewise.expectation.columns_model import packaged_model
from clausewise.expectation.columns_schema import schema_words
from clausewise.expectation.columns_used import columns_used, stars, tables_used
from clausewise.expectation.columns_words import alike, stem
from clausewise.question.reading import QuestionReading
from clausewise.sql import parse


def _column(text: str) -> Column:
    name, declared, *rest = text.split("|")
    return Column(name, declared, primary_key=int(rest == ["key"]))


def _schema(key: str = "farm_id", name: str = "farm_name") -> Schema:
    farm = [f"{key}|INTEGER|key", f"{name}|TEXT", "region|TEXT", "area_ha|REAL", "founded_dt|DATE"]
    crop = ["crop_id|INTEGER|key", f"{key}|INTEGER", "crop_kind|TEXT", "yield_t|REAL"]
    tables = (
        Table("farm", tuple(_column(text) for text in farm), (key,)),
        Table("crop", tuple(_column(text) for text in crop), ("crop_id",)),
    )
    return Schema(tables, (ForeignKey("crop", (key,), "farm", (key,)),))


def _gaps(question: str, sql: str, evidence: str = "") -> dict[str, float]:
    schema = _schema()
    expected = expected_columns(QuestionReading(question, evidence), schema)
    assert expected is not None
    return column_gaps(expected, columns_in_query(expected, parse(sql, tables=schema.names())))


TABLES = {"t": ["a", "b", "c", "d"], "u": ["a", "e"]}


@pytest.mark.parametrize(
    ("sql", "uses"),
    [
        ("SELECT a FROM t WHERE c = 1 ORDER BY d", "selected a, filtered c, ordered d"),
        ("SELECT a, max(b) FROM t GROUP BY a", "selected a, selected b, grouped a"),
        ("SELECT a, count(*) AS n FROM t GROUP BY 1 ORDER BY n", "selected a, grouped a"),
        ("SELECT a AS z FROM t ORDER BY z", "selected a, ordered a"),
        ("SELECT t.b FROM t JOIN u ON t.a = u.a", "selected b"),
        ("SELECT b FROM t WHERE a IN (SELECT a FROM u WHERE e = 1)", "selected b, filtered e"),
        ("SELECT b FROM t WHERE a = (SELECT max(a) FROM u)", "selected b, ordered a, ordered a"),
        ("SELECT b FROM t WHERE a > (SELECT avg(a) FROM t)", "selected b, filtered a"),
        ("SELECT sum(CASE WHEN c = 'x' THEN 1 END), d FROM t", "filtered c, selected d"),
        ("SELECT a FROM t GROUP BY a HAVING sum(b) > 3", "selected a, grouped a, filtered b"),
    ],
)
def test_the_roles_of_columns_in_a_query(sql, uses) -> None:
    found = columns_used(parse(sql, tables=TABLES))
    assert ", ".join(f"{item.role} {item.use.column}" for item in found) == uses


def test_the_tables_of_a_query_and_those_that_a_star_shows() -> None:
    query = parse("SELECT t.* FROM t JOIN u ON t.a = u.a", tables=TABLES)
    assert tables_used(query) == {"t", "u"}
    assert stars(query) == {"t"}


def test_forms_and_short_forms_of_a_word_are_alike() -> None:
    assert stem("nationality") == stem("national")
    assert stem("managers") == stem("management")
    assert alike("department", "depart")
    assert alike("quantity", "qty")
    assert not alike("price", "person")


def test_every_column_has_a_probability_for_every_role() -> None:
    expected = expected_columns(QuestionReading("List the names of all farms.", ""), _schema())
    assert expected.log_odds.shape == (9, 4)
    assert expected.table_log_odds.shape == (2,)
    assert np.isfinite(expected.log_odds).all()
    assert expected.probability("FARM", "Farm_Name", "selected") > 0.8
    assert expected.probability("farm", "farm_id", "selected") < 0.3
    assert expected.table_probability("Farm") > 0.8
    assert expected.probability("farm", "nothing", "selected") is None
    assert expected.table_probability("nothing") is None


def test_the_words_around_a_column_decide_its_role() -> None:
    def role(question: str, name: str) -> Any:
        return expected_columns(QuestionReading(question, ""), _schema()).probability(
            "farm", "area_ha", name
        )

    listed = "What is the area of each farm?"
    ranked = "What is the name of the farm with the largest area?"
    assert role(listed, "selected") > role(ranked, "selected")
    assert role(ranked, "ordered") > role(listed, "ordered")


def test_the_evidence_says_which_column_a_condition_is_on() -> None:
    def condition(evidence: str) -> Any:
        reading = QuestionReading("How many old farms are there?", evidence)
        return expected_columns(reading, _schema()).probability("farm", "founded_dt", "filtered")

    without = condition("")
    assert condition("old farms refers to founded_dt < 1900") > max(without, 0.6)
    assert condition("founded_dt < 1900 means it is an old farm") > without


@pytest.mark.parametrize("name", ["farm_nm", "FarmName", "frm_name", "fa_name"])
def test_abbreviated_names_are_expected_as_well(name) -> None:
    reading = QuestionReading("Show the name of each farm in the region Kent.", "")
    expected = expected_columns(reading, _schema(name=name))
    assert expected.probability("farm", name, "selected") > 0.6


def test_a_right_query_has_smaller_gaps_than_a_wrong_one() -> None:
    question = "What are the names of the farms with an area above 20 hectares?"
    right = _gaps(question, "SELECT farm_name FROM farm WHERE area_ha > 20")
    wrong = _gaps(question, "SELECT farm_id FROM farm WHERE founded_dt > 20")
    assert tuple(right) == GAPS
    assert all(0.0 <= value <= MOST for value in (right | wrong).values())
    assert sum(right.values()) + 3 < sum(wrong.values())
    assert wrong["columns.selected_missing"] > right["columns.selected_missing"]
    assert wrong["columns.filtered_unexpected"] > right["columns.filtered_unexpected"]


def test_columns_that_a_key_ties_stand_for_one_another() -> None:
    one = "SELECT T1.farm_id FROM farm T1 JOIN crop T2 ON T1.farm_id = T2.farm_id"
    other = one.replace("SELECT T1", "SELECT T2")
    question = "Show the ids of the farms that have a crop."
    assert _gaps(question, one) == _gaps(question, other)


def test_a_star_leaves_no_selected_column_missing() -> None:
    assert (
        _gaps("List the names of all farms.", "SELECT * FROM farm")["columns.selected_missing"] == 0
    )


def test_the_same_question_gives_the_same_numbers() -> None:
    reading = QuestionReading("Which region has the most farms?", "")
    one, other = (expected_columns(reading, _schema()) for _ in range(2))
    assert (one.log_odds == other.log_odds).all()


def test_a_schema_without_columns_and_a_question_without_words_expect_nothing() -> None:
    assert expected_columns(QuestionReading("List all.", ""), Schema((Table("t", ()),))) is None
    assert expected_columns(QuestionReading("", ""), _schema()) is None


@pytest.mark.parametrize(
    "question", ["?", "x" * 5_000, "farm " * 3_000, "'", "3 4 5", "\u519c\u573a\u7684\u540d\u5b57"]
)
def test_odd_questions_give_finite_numbers(question) -> None:
    expected = expected_columns(QuestionReading(question, question), _schema())
    assert np.isfinite(expected.log_odds).all()


def test_the_arrays_have_a_place_for_every_column() -> None:
    words = schema_words(_schema())
    inputs = column_inputs(
        QuestionReading("Which farms are in Kent?", ""), words, packaged_model().vocabulary
    )
    assert inputs.channels.shape[2] == len(words.columns) == len(inputs.column_facts)
    assert np.isfinite(inputs.column_facts).all()
    assert schema_words(_schema()) is not words
    schema = _schema()
    assert schema_words(schema) is schema_words(schema)


def test_a_huge_schema_takes_little_memory_and_time() -> None:
    columns = tuple(
        Column(f"c{at}", "TEXT", description=" ".join(f"w{at}x{word}" for word in range(30)))
        for at in range(3_000)
    )
    words = schema_words(Schema((Table("wide", columns),)))
    assert len(words.columns) == 1_000
    assert words.shares.nbytes < 100_000_000
