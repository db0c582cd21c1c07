"""Statements over a SELECT's rows: they run, and mean what the query means."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clausewise.databases import BaseDatabase, create_database, open_database
from clausewise.signals import Context
from clausewise.signals.probes.relations import (
    filters,
    is_look_up,
    is_plain_query,
    key_expression,
    may_repeat,
    reaches_rows,
    relation,
    subquery_text,
)
from clausewise.sql import parse
from clausewise.types import Case

SCHEMA = """
CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, kind TEXT REFERENCES kind(code));
CREATE TABLE kind (code TEXT PRIMARY KEY, label TEXT);
CREATE TABLE visit (pet_id INTEGER REFERENCES pet(id), day TEXT, PRIMARY KEY (pet_id, day));
CREATE TABLE note (pet_id INTEGER REFERENCES pet(id), text TEXT);
INSERT INTO kind VALUES ('c', 'cat'), ('d', 'dog');
INSERT INTO pet VALUES (1, 'Tom', 'c'), (2, 'Rex', 'd');
INSERT INTO visit VALUES (1, 'mon'), (1, 'tue'), (2, 'mon');
INSERT INTO note VALUES (1, 'x'), (2, 'y');
"""


@pytest.fixture
def database(tmp_path: Path) -> Iterator[BaseDatabase]:
    file = create_database(tmp_path / "pets.sqlite", SCHEMA)
    with open_database(file, cache_dir=tmp_path) as opened:
        yield opened


@pytest.fixture
def context_of(database: BaseDatabase) -> Callable[[str], Context]:
    def build(sql: str) -> Context:
        case = Case(question_id=1, db_id="pets", question="", predicted_sql=sql)
        query = parse(sql, tables=database.schema.names())
        return Context(case, query, database, database.run(sql))

    return build


def test_relation_keeps_with_joins_and_conditions(context_of: Callable[[str], Context]) -> None:
    context = context_of(
        "WITH v AS (SELECT * FROM visit) SELECT COUNT(*) FROM pet p -- all\n"
        "JOIN v ON v.pet_id = p.id WHERE p.id = 1 -- Tom\n AND (v.day = 'mon' OR v.day = 'tue')"
    )
    select = context.query.root
    assert context.run(relation(context, select, "COUNT(*)", tail="")).rows == ((2,),)
    first = filters(select)[:1]
    statement = relation(context, select, "v.day", conjuncts=first, tail="ORDER BY 1 LIMIT 1")
    assert context.run(statement).rows == (("mon",),)


def test_reaches_rows(context_of: Callable[[str], Context]) -> None:
    context = context_of("SELECT name FROM pet WHERE id = 1 AND kind = 'd'")
    select = context.query.root
    assert reaches_rows(context, select) is False
    assert reaches_rows(context, select, filters(select)[:1]) is True
    inner = context_of(
        "SELECT name FROM pet WHERE EXISTS (SELECT 1 FROM visit WHERE pet_id = pet.id)"
    )
    assert reaches_rows(inner, inner.query.selects[1]) is None


@pytest.mark.parametrize(
    ("sql", "plain"),
    [
        ("SELECT name FROM pet", True),
        ("SELECT kind, COUNT(*) FROM pet GROUP BY kind", True),
        ("SELECT COUNT(*) FROM pet", False),
        ("SELECT name FROM pet UNION SELECT label FROM kind", False),
    ],
)
def test_is_plain_query(context_of: Callable[[str], Context], sql: str, plain: bool) -> None:
    assert is_plain_query(context_of(sql)) is plain


def test_key_expression_tells_rows_apart(context_of: Callable[[str], Context]) -> None:
    context = context_of("SELECT * FROM pet p, visit, note AS n")
    for source in context.query.root.sources:
        table = context.schema.table(source.table or "")
        assert table is not None
        key = key_expression(context, source, table)
        (counts,) = context.run(
            f"SELECT COUNT(*), COUNT(DISTINCT {key}) FROM {source.piece.text}"
        ).rows
        assert counts[0] == counts[1]


def test_may_repeat_and_look_ups(context_of: Callable[[str], Context]) -> None:
    context = context_of(
        "SELECT p.name FROM pet p JOIN visit v ON v.pet_id = p.id JOIN kind k ON k.code = p.kind"
    )
    select = context.query.root
    found = {source.alias: may_repeat(context, select, source) for source in select.sources}
    assert found == {"p": True, "v": False, "k": True}
    look_ups = [source.alias for source in select.sources if is_look_up(context, source)]
    assert look_ups == ["k"]


def test_subquery_text_holds_all_members_of_a_set_operation(
    context_of: Callable[[str], Context],
) -> None:
    inner = "SELECT pet_id FROM visit UNION SELECT pet_id FROM note WHERE text = 'y'"
    context = context_of(f"SELECT name FROM pet WHERE id IN ({inner}) AND id > 0")
    (item,) = context.query.root.subquery_filters
    assert subquery_text(context, item) == inner
