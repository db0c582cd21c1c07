"""Which of several candidates is chosen, with and without the executed question."""

from __future__ import annotations

from pathlib import Path

import pytest

from clausewise.databases import BaseDatabase, QueryResult, create_database, open_database
from clausewise.databases.instances import Instance, MemoryInstances
from clausewise.equivalence import select

COUNTS_ALL = "SELECT COUNT(*) FROM visits"
COUNTS_DATES = "SELECT COUNT(day) FROM visits"
COUNTS_PEOPLE = "SELECT COUNT(DISTINCT person) FROM visits"
BROKEN = "SELECT COUNT(*) FROM nowhere"


@pytest.fixture
def database(tmp_path: Path) -> BaseDatabase:
    path = tmp_path / "clinic.sqlite"
    create_database(
        path,
        """
        CREATE TABLE visits (id INTEGER PRIMARY KEY, person TEXT NOT NULL, day TEXT);
        INSERT INTO visits VALUES (1, 'Ann', '2020-01-01'), (2, 'Bob', '2020-01-02');
        """,
    )
    return open_database(path)


class Asked:
    """Executes the question as one query would, and remembers on what."""

    def __init__(self, database: BaseDatabase, sql: str) -> None:
        self.sql = sql
        self.seen: list[Instance] = []
        self._tables = database.schema.tables

    def __call__(self, instance: Instance) -> QueryResult:
        self.seen.append(instance)
        with MemoryInstances(self._tables) as memory:
            memory.fill(instance)
            return memory.run(self.sql)


def test_the_query_that_answers_as_the_question_is_chosen(database: BaseDatabase) -> None:
    asked = Asked(database, COUNTS_PEOPLE)
    found = select([COUNTS_ALL, COUNTS_DATES, COUNTS_PEOPLE], database, original=0, execute=asked)
    assert (found.chosen, found.changed) == (2, True)
    assert asked.seen[: len(found.suite.instances)] == list(found.suite.instances)
    assert found.scores[2] == max(found.scores) > found.scores[0]


def test_the_original_stays_where_no_other_scores_higher(database: BaseDatabase) -> None:
    found = select(
        [COUNTS_ALL, COUNTS_DATES, COUNTS_ALL + ";"],
        database,
        original=2,
        execute=Asked(database, COUNTS_ALL),
    )
    assert (found.chosen, found.changed) == (2, False)
    assert found.scores[0] == found.scores[2]


def test_the_original_stays_where_the_question_cannot_be_executed(database: BaseDatabase) -> None:
    found = select([COUNTS_ALL, COUNTS_DATES], database, execute=lambda _: None)
    assert (found.chosen, found.changed, found.scores) == (0, False, (0.0, 0.0))
    assert "could not be executed" in found.reason


def test_without_a_model_the_behavior_of_most_voices_wins(database: BaseDatabase) -> None:
    # All three give 2 on the database; only instances show that two of them go together.
    found = select([COUNTS_DATES, COUNTS_ALL, COUNTS_ALL + " AS v"], database, weights=[1, 1, 1])
    assert (found.chosen, found.changed, found.rounds) == (1, True, 0)
    assert list(found.scores) == pytest.approx([2 / 3, 5 / 6, 5 / 6], abs=1e-5)


def test_a_query_that_does_not_run_is_never_chosen_over_one_that_does(
    database: BaseDatabase,
) -> None:
    found = select([COUNTS_ALL, BROKEN, BROKEN, BROKEN], database)
    assert found.chosen == 0
    assert set(found.suite.left_out) == {1, 2, 3}
    assert select([BROKEN, COUNTS_ALL], database).chosen == 1


@pytest.mark.parametrize("wrong", [{"original": 2}, {"weights": [1]}, {"weights": [1, -1]}])
def test_what_does_not_fit_is_refused(database: BaseDatabase, wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"original|weight"):
        select([COUNTS_ALL, COUNTS_DATES], database, **wrong)  # type: ignore[arg-type]
