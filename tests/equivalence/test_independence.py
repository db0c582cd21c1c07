"""How many independent voices candidates are."""

from __future__ import annotations

import random

import pytest

from clausewise.databases import create_database, open_database
from clausewise.equivalence.independence import MOST_COMPARED, independence
from clausewise.signals import inspect_case, select_signals
from clausewise.types import Case

SAME = "SELECT AVG(age) FROM singer WHERE country = 'FR'"
APART = (
    SAME,
    "select sum(s.age) * 1.0 / count(*) from singer s where s.country like 'FR'",
    "WITH french AS (SELECT * FROM singer WHERE country = 'FR') SELECT AVG(f.age) FROM french f",
)


def test_copies_are_one_voice_whatever_their_spacing() -> None:
    assert independence([SAME, SAME, f"  {SAME} ;", SAME.replace(" ", "\n")]).voices == 1.0
    assert independence([]).voices == 0.0
    assert independence([SAME]).voices == 1.0


def test_texts_of_different_styles_are_a_voice_each() -> None:
    assert independence(APART).voices == pytest.approx(3.0, abs=0.2)


def test_samples_of_one_system_are_about_one_voice() -> None:
    assert independence(APART, ("a", "a", "a")).voices < 1.1
    assert independence(APART, ("a", "a", "b")).voices == pytest.approx(2.05, abs=0.1)
    assert independence(APART, ("a", None, None)).voices == independence(APART).voices


def test_systems_that_write_the_same_are_still_more_than_one_voice() -> None:
    unknown, known = independence([SAME] * 4), independence([SAME] * 4, ("a", "b", "c", "d"))
    assert unknown.voices == 1.0
    assert known.voices == pytest.approx(2.5)


def test_each_voice_shares_its_weight_among_those_that_repeat_it() -> None:
    found = independence([APART[2], SAME, SAME])
    assert found.weights[0] > 1.9 * found.weights[1]
    mixed = random.Random(0).sample(APART * 3, 9)
    assert independence(mixed).voices == pytest.approx(independence(APART * 3).voices)


def test_of_very_many_candidates_the_first_are_compared() -> None:
    found = independence([f"SELECT {n}" for n in range(MOST_COMPARED + 50)])
    assert len(found.weights) == MOST_COMPARED + 50
    assert 1.0 <= found.voices <= MOST_COMPARED


def test_the_inspection_says_how_far_independent_candidates_agree(tmp_path) -> None:
    database = open_database(
        create_database(tmp_path / "a.sqlite", "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)"),
        cache_dir=tmp_path,
    )
    specs = select_signals("candidate_disagreement,empty_predicate")

    def agreement(candidates: object, specs=specs) -> dict[str, float]:
        case = Case.model_validate(
            {
                "question_id": 1,
                "db_id": "a",
                "question": "The largest a?",
                "predicted_sql": "SELECT MAX(a) FROM t",
                "candidates": candidates,
            }
        )
        return dict(inspect_case(case, database, specs).agreement)

    others = ["SELECT MIN(a) FROM t", "SELECT 2 FROM t GROUP BY 1", "SELECT MIN(t.a) FROM t"]
    named = [{"sql": sql, "system": name} for sql, name in zip(others, "xyx", strict=True)]
    found = agreement(named)
    assert found["disagreement"] == pytest.approx(0.5, abs=0.05)
    assert found["voices"] == pytest.approx(2.05, abs=0.1)
    assert found["candidates"] == 3.0
    assert agreement(others)["voices"] == pytest.approx(2.1, abs=0.2)
    assert agreement(named, select_signals("empty_predicate")) == {}
    assert agreement([]) == agreement(["SELECT 1"]) == {}
