"""Perturbed schemas, queries and questions: what they must keep, and the command on small data."""

from __future__ import annotations

import random
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from experiments.common.results import read_csv
from experiments.robustness import naming, questions, run, schemas

SHIP = {"sex": "gender", "gender": "sex", "ship_name": "shipName", "ships": "vessels"}


@pytest.mark.parametrize(
    ("rename", "name", "new"),
    [
        (naming.abbreviated, "Year_awarded", "yr_awrdd"),
        (naming.abbreviated, "CountryAbbrev", "ctry_abbrv"),
        (naming.synonymous, "Song_Names", "Track_Names"),
        (naming.synonymous, "cityID", "townID"),
        (naming.camel_case, "Song_release_year", "songReleaseYear"),
        (naming.snake_case, "raceId", "race_id"),
        (naming.run_together, "Song_Name", "songname"),
    ],
)
def test_names_in_other_habits(rename, name: str, new: str) -> None:
    assert rename(name) == new


def test_two_names_never_become_one_and_nothing_becomes_reserved() -> None:
    found = naming.renaming(["airline", "Airlines", "arln", "Order", "x"], naming.abbreviated)
    assert "airline" not in found  # `arln` is taken
    assert len({new.lower() for new in found.values()}) == len(found)
    assert naming.renaming(["Ordr"], lambda _: "order") == {}
    assert naming.renaming(["sex", "gender"], naming.synonymous) == {}


@pytest.fixture
def ships(tmp_path: Path) -> Path:
    path = tmp_path / "old" / "old.sqlite"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE ships (id INTEGER PRIMARY KEY, ship_name TEXT, sex TEXT, gender TEXT);"
            "CREATE TABLE lost (ship INTEGER REFERENCES ships(id), ship_name TEXT);"
            "INSERT INTO ships VALUES (1, 'ships', 'a', 'b'), (2, 'Sex', 'c', 'd');"
            "INSERT INTO lost VALUES (2, 'Sex');"
        )
    folder = path.parent / "database_description"
    folder.mkdir()
    (folder / "ships.csv").write_text("original_column_name,x\nship_name ,the name\n", "utf-8")
    return path


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT sex FROM ships", "SELECT gender FROM vessels"),
        ("SELECT `sex`, \"Gender\" FROM [ships]", "SELECT `gender`, \"sex\" FROM [vessels]"),
        ("SELECT 1 FROM ships WHERE ship_name = 'ships'",
         "SELECT 1 FROM vessels WHERE shipName = 'ships'"),
        ("SELECT s.ship_name FROM ships AS s JOIN lost ON lost.ship_name = s.ship_name",
         "SELECT s.shipName FROM vessels AS s JOIN lost ON lost.shipName = s.shipName"),
    ],
)  # fmt: skip
def test_a_renamed_query_gives_the_same_rows(ships: Path, sql: str, expected: str) -> None:
    target = ships.parent.parent / "new" / "new.sqlite"
    schemas.renamed_copy(ships, target, SHIP)
    assert schemas.renamed_sql(sql, SHIP) == expected
    rows = schemas.rows_of(ships, sql)
    assert rows
    assert schemas.rows_of(target, expected) == rows != schemas.rows_of(target, sql)


def test_a_copy_keeps_keys_and_descriptions(ships: Path) -> None:
    target = ships.parent.parent / "new" / "new.sqlite"
    schemas.renamed_copy(ships, target, SHIP)
    assert schemas.identifiers(target) == {
        "vessels": ["id", "shipName", "gender", "sex"],
        "lost": ["ship", "shipName"],
    }
    with closing(sqlite3.connect(target)) as connection:
        [key] = connection.execute("PRAGMA foreign_key_list(lost)").fetchall()
    assert key[2] == "vessels"
    described = target.parent / "database_description" / "vessels.csv"
    assert described.read_text("utf-8").splitlines()[1] == "shipName,the name"


def test_evidence_names_columns_as_they_are_now() -> None:
    text = "ship_name is the name; female refers to sex = 'sex'; MAX(gender); their sex"
    assert schemas.renamed_evidence(text, SHIP) == (
        "shipName is the name; female refers to gender = 'sex'; MAX(sex); their sex"
    )


@pytest.mark.parametrize(
    ("name", "question", "expected"),
    [
        ("synonyms in questions", 'How many countries have the city "How many"?',
         'What number of nations have the town "How many"?'),
        ("synonyms in questions", "Which shop is called Song City?",
         "Which store is called Song City?"),
        ("other order", "What is the average age for each city?",
         "For each city, what is the average age?"),
        ("other order", "How many cars are there? List the makers.",
         "List the makers. How many cars are there?"),
        ("other order", "List the names.", "List the names."),
        ("keywords", "What are the names of all singers who are not from 'The End'?",
         "names singers not from 'The End'"),
        ("keywords", "How many pets are there for each student?", "number pets per student"),
        ("keywords", "Which of the shops at sea have at least 3 staff?",
         "shops sea at least 3 staff"),
    ],
)  # fmt: skip
def test_questions_in_the_words_of_others(name: str, question: str, expected: str) -> None:
    assert questions.PERTURBATIONS[name](question, "", random.Random(0)) == expected


def test_terms_that_the_evidence_explains_stay() -> None:
    evidence = "fastest speed refers to MAX(speed)"
    reworded = questions.in_synonyms("Find the fastest car's speed", evidence, random.Random(0))
    assert reworded == "Look up the fastest vehicle's speed"


def test_typing_errors_are_few_repeatable_and_not_in_values() -> None:
    question = "What are the names of singers from Atlantis born 1980 in 'some places'?"
    found = questions.with_typing_errors(question, "", random.Random(1))
    assert found == questions.with_typing_errors(question, "", random.Random(1)) != question
    assert "Atlantis" in found
    assert "1980 in 'some places'?" in found
    changed = [one for one, two in zip(question.split(), found.split(), strict=True) if one != two]
    assert len(changed) == 1


def test_the_command_compares_the_same_cases(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "results"
    arguments = ["run", str(data), "--out", str(out), "--benchmarks", "spider"]
    wanted = ["--examples", str(tmp_path / "examples.txt")]
    monkeypatch.setattr(sys, "argv", [*arguments, "--only", "snake case,typing errors", *wanted])
    run.main()
    snake, typed = read_csv(out / "results.csv")
    assert snake["cases"] == typed["cases"] == "49"  # all but the vacuous one
    assert (snake["dropped"], snake["auc_before"]) == ("0", typed["auc_before"])
    fall = float(snake["auc_before"]) - float(snake["auc_after"])
    assert float(snake["auc_fall"]) == pytest.approx(fall, abs=2e-4)
    signals = read_csv(out / "signals.csv")
    assert {row["wrong_cases"] for row in signals} == {"24"}
    harmed = {
        (row["perturbation"], row["signal"])
        for row in signals
        if int(row["wrong_before"]) > int(row["wrong_after"])
        or int(row["right_before"]) < int(row["right_after"])
    }
    told = (tmp_path / "examples.txt").read_text("utf-8")
    assert harmed
    assert all(f"{perturbation}: {signal} " in told for perturbation, signal in harmed)
    assert run.report(out) == (out / "results.md").read_text("utf-8")
