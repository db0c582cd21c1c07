"""What every signal keeps, checked by running it on awkward queries."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

from clausewise.databases import (
    DatabaseProtocol,
    SchemaDatabase,
    create_database,
    open_database,
)
from clausewise.errors import NoData
from clausewise.signals import HEADINGS, SignalSpec, inspect_case
from clausewise.types import Case, Need, OutcomeStatus

if TYPE_CHECKING:
    from clausewise.llm import LLM

STRESS_SCHEMA = """
CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT, "birth year" INTEGER, country TEXT);
CREATE TABLE book (id INTEGER PRIMARY KEY, author_id INTEGER REFERENCES author(id), title TEXT,
                   price REAL, "order" INTEGER);
CREATE TABLE empty_one (id INTEGER PRIMARY KEY, book_id INTEGER REFERENCES book(id), note TEXT);
INSERT INTO author VALUES (1, 'Ada', 1815, 'UK'), (2, 'Grace', 1906, 'US'), (3, 'Ada', NULL, NULL);
INSERT INTO book VALUES (1, 1, 'Notes', 10.5, 1), (2, 2, 'Compilers', 20, NULL),
                        (3, 2, 'Ada', NULL, 3), (4, NULL, 'O''Reilly', 5, 4);
"""

STRESS_QUERIES: Sequence[str] = (
    "SELECT COUNT(*) FROM author",
    "SELECT 1",
    "SELECT * FROM empty_one",
    "select a.name from author as a join book as b on a.id = b.author_id where b.price > 1000",
    'SELECT "birth year" FROM author WHERE "name" = \'ada\' -- a comment',
    "SELECT [title] FROM [book] WHERE `order` IN (1, 2, 9) AND title LIKE '%o''r%'",
    "WITH rich AS (SELECT author_id, MAX(price) AS top FROM book GROUP BY author_id)\n"
    "SELECT a.name FROM author a JOIN rich r ON r.author_id = a.id WHERE r.top > 15",
    "SELECT name FROM author WHERE id IN (SELECT author_id FROM book WHERE price > 1)",
    "SELECT name FROM author AS a WHERE 1 = (SELECT COUNT(*) FROM book b WHERE b.author_id = a.id)",
    "SELECT name FROM author UNION SELECT title FROM book ORDER BY 1 LIMIT 2",
    "SELECT name FROM author EXCEPT SELECT title FROM book WHERE price IS NULL",
    "SELECT x.n FROM (SELECT name AS n, country FROM author WHERE country = 'uk') AS x",
    "SELECT country, COUNT(*) FROM author GROUP BY country HAVING COUNT(*) > 1 ORDER BY 2 DESC",
    "SELECT name FROM author GROUP BY name",
    "SELECT COUNT(*) FROM author GROUP BY country = 'Mars' ORDER BY country = 'Mars'",
    "SELECT title FROM book ORDER BY title = 'compiler', price > 1 DESC, id = 'x', id > 0",
    "SELECT a.name, b.title FROM author a, book b WHERE a.id = b.author_id AND a.name <> 'Ada'",
    "SELECT a.name FROM author a LEFT JOIN book b ON a.id = b.author_id WHERE b.id IS NULL",
    "SELECT CASE WHEN price > 15 THEN 'dear' ELSE 'cheap' END AS k FROM book WHERE price BETWEEN"
    " 1 AND 100 ORDER BY price DESC LIMIT 1",
    "SELECT name FROM author WHERE (\"birth year\" < 1900 OR country = 'FR') AND NOT name = 'Bob'",
    "SELECT AVG(price) OVER (PARTITION BY author_id) FROM book",
    "SELECT b.id FROM book b JOIN author a USING (id)",
    "SELECT SUM(price) FROM book WHERE title = 'nothing such'",
    "SELECT name FROM author WHERE id = (SELECT author_id FROM book)",
    "SELECT COUNT(*)",
    "SELECT 1 UNION VALUES (2)",
    "SELECT name FROM author WHERE id IN (VALUES (1), (2))",
    "WITH v (a) AS (VALUES (1), (1)) SELECT a, COUNT(*) FROM v GROUP BY a HAVING a > 0",
    "SELECT *, name FROM author ORDER BY 2 LIMIT 1, 1",
    'SELECT count( * ) AS n, max( "birth year" /* youngest */ ) FROM author ORDER BY N nulls last',
    "SELECT nonsense FROM nowhere",
    "",
    "SELEC name FROM author",
)
"""Queries that every signal must survive: odd quoting, nesting, set operations, broken text."""


def check_metadata(spec: SignalSpec) -> None:
    """Check a signal's docstring and declarations.

    Raises AssertionError naming the signal and what it lacks.
    """
    lacking = [heading for heading in HEADINGS if not spec.sections.get(heading)]
    assert not lacking, f"{spec.name}: its docstring lacks {', '.join(lacking)}"
    assert spec.description, f"{spec.name}: its docstring has no first sentence"
    assert spec.clauses, f"{spec.name}: it declares no clause"
    assert spec.version >= 1, f"{spec.name}: versions start at 1"
    assert spec.reasons, f"{spec.name}: it declares no reasons"
    unexplained = [reason.name for reason in spec.reasons.values() if not reason.meaning]
    assert not unexplained, f"{spec.name}: it does not say what {', '.join(unexplained)} mean"
    assert spec.function.__name__ == spec.name, f"{spec.name}: its function has another name"


def check_behavior(spec: SignalSpec, folder: str | Path) -> None:
    """Run a signal on every stress query and check what comes out.

    Each outcome must be one of the four (and no FAULT), the same twice, with findings inside the
    declared clauses, offsets that match their text, scores in (0, 1], and evidence that is JSON;
    the database file must not change. With the schema alone a signal that asked for data is never
    silent without saying so.

    Raises AssertionError naming the signal and the query.
    """
    file = create_database(Path(folder) / "stress.sqlite", STRESS_SCHEMA)
    before = file.read_bytes()
    database = open_database(file, cache_dir=Path(folder) / "cache")
    if Need.LLM in spec.needs:
        _check_with_models(spec, database, Path(folder))
    for sql in STRESS_QUERIES:
        _check_query(spec, database, sql)
    assert file.read_bytes() == before, f"{spec.name}: it changed the database"
    without_data = SchemaDatabase(database.schema, "stress")
    for sql in STRESS_QUERIES:
        _check_without_data(spec, without_data, sql)


def _check_with_models(spec: SignalSpec, database: DatabaseProtocol, folder: Path) -> None:
    """Check a signal with models that say yes to all, and no to all."""
    from clausewise.testing.replies import AnyReply, scripted_model

    for answer in (True, False):
        with scripted_model(AnyReply(answer), folder / str(answer)) as llm:
            for sql in STRESS_QUERIES:
                _check_query(spec, database, sql, llm)


def _check_without_data(spec: SignalSpec, database: DatabaseProtocol, sql: str) -> None:
    with mock.patch.object(NoData, "__init__", autospec=True, side_effect=NoData.__init__) as asked:
        outcome = inspect_case(_case(sql), database, [spec]).outcomes[spec.name]
    where = f"{spec.name} on {sql!r} without data: {outcome}"
    assert outcome.status is not OutcomeStatus.FAULT, where
    is_plain_silence = outcome.status is OutcomeStatus.SILENT and outcome.reason is None
    assert not (asked.called and is_plain_silence), f"silent for lack of data: {where}"


def _case(sql: str) -> Case:
    return Case(
        question_id=1,
        db_id="stress",
        question="How many books has Ada written since 1900, and which is the dearest?",
        predicted_sql=sql,
        evidence="dear refers to price > 15",
        candidates=("SELECT name FROM author", sql),
    )


def _check_query(
    spec: SignalSpec, database: DatabaseProtocol, sql: str, llm: LLM | None = None
) -> None:
    case = _case(sql)
    client = None if llm is None else llm.for_case("1")
    outcome = inspect_case(case, database, [spec], client).outcomes[spec.name]
    again = inspect_case(case, database, [spec], client).outcomes[spec.name]
    where = f"{spec.name} on {sql!r}: {outcome}"
    assert outcome.status is not OutcomeStatus.FAULT, where
    assert outcome == again, f"not deterministic: {where}"
    assert (outcome.status is OutcomeStatus.NOT_APPLICABLE) == bool(outcome.reason), where
    for finding in outcome.findings:
        clause = finding.clause
        assert sql[clause.start : clause.end] == clause.text, where
        assert clause.kind in spec.clauses, where
        assert 0 < finding.score <= 1, where
        assert finding.reason in spec.reasons, where
        assert finding.message, where
        json.dumps(dict(finding.evidence), allow_nan=False)
