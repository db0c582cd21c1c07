"""The same question asked in each dialect is read the same; what only one has is read, too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clausewise.sql import Query, Select, parse
from clausewise.types import Clause

DIALECTS = ("sqlite", "postgres", "mysql", "duckdb")
TABLES = {"t": ["id", "name", "day", "price", "u_id"], "u": ["id", "name", "t_id"]}
SAME = {
    "names": {
        "sqlite": 'SELECT "name" FROM [t] WHERE `price` > 2',
        "postgres": 'SELECT "name" FROM public.t WHERE "price" > 2',
        "mysql": "SELECT `name` FROM shop.t WHERE `price` > 2",
        "duckdb": 'SELECT "name" FROM main."t" WHERE price > 2',
    },
    "texts": {
        "sqlite": "SELECT id FROM t WHERE name = 'it''s'",
        "postgres": "SELECT id FROM t WHERE name = E'it\\'s'",
        "mysql": 'SELECT id FROM t WHERE name = "it\'s"',
        "duckdb": "SELECT id FROM t WHERE name = $$it's$$",
    },
    "patterns in any case": {
        "sqlite": "SELECT id FROM t WHERE name LIKE '%a'",
        "postgres": "SELECT id FROM t WHERE name ILIKE '%a'",
        "mysql": "SELECT id FROM t WHERE name LIKE '%a'",
        "duckdb": "SELECT id FROM t WHERE name ILIKE '%a'",
    },
    "the first rows": {
        "sqlite": "SELECT id FROM t ORDER BY price DESC LIMIT 3 OFFSET 2",
        "postgres": "SELECT id FROM t ORDER BY price DESC OFFSET 2 ROWS FETCH FIRST 3 ROWS ONLY",
        "mysql": "SELECT id FROM t ORDER BY price DESC LIMIT 2, 3",
        "duckdb": "SELECT id FROM t ORDER BY price DESC OFFSET 2 LIMIT 3",
    },
    "differences that NULL has, too": {
        "sqlite": "SELECT id FROM t WHERE name IS 'x'",
        "postgres": "SELECT id FROM t WHERE name IS NOT DISTINCT FROM 'x'",
        "mysql": "SELECT id FROM t WHERE name <=> 'x'",
        "duckdb": "SELECT id FROM t WHERE name IS NOT DISTINCT FROM 'x'",
    },
    "casts": {
        "sqlite": "SELECT id FROM t WHERE CAST(price AS INTEGER) = 1",
        "postgres": "SELECT id FROM t WHERE price::int = 1",
        "mysql": "SELECT id FROM t WHERE CAST(price AS SIGNED) = 1",
        "duckdb": "SELECT id FROM t WHERE price::INTEGER = 1",
    },
    "joins": {
        "sqlite": "SELECT u.name FROM t JOIN u ON t.id = u.t_id WHERE t.name <> 'x'",
        "postgres": "SELECT u.name FROM t JOIN u ON t.id = u.t_id WHERE t.name <> $$x$$",
        "mysql": "SELECT u.name FROM t STRAIGHT_JOIN u ON t.id = u.t_id WHERE t.name <> 'x'",
        "duckdb": "SELECT u.name FROM t ASOF JOIN u ON t.id = u.t_id WHERE t.name != 'x'",
    },
}


def facts(query: Query) -> list[Any]:
    """Return what a query says, without how it is written."""
    return [
        (
            select.role,
            [clause.kind for clause in select.clauses],
            [source.table for source in select.sources],
            sorted((use.table or "", use.column or "") for use in select.columns),
            [
                (c.column.column, c.operator, c.negated, [one.value for one in c.literals])
                for c in select.comparisons
            ],
            [(a.function, a.distinct, a.star) for a in select.aggregates],
            [(pair.left.column, pair.right.column) for pair in select.join_pairs],
            [use.column for use in select.group_columns],
            [(key.column and key.column.column, key.descending) for key in select.order_by],
            select.limit,
            select.offset and select.offset.text,
        )
        for select in query.selects
    ]


def stretches(select: Select) -> Iterator[Any]:
    """Yield all that has a place in the text."""
    yield from select.clauses
    pieces: tuple[Any, ...] = (*select.columns, *select.literals, *select.aggregates)
    pieces = (*pieces, *select.projections, *select.order_by, *select.sources)
    yield from (item.piece for item in pieces)
    spans: tuple[Any, ...] = (*select.comparisons, *select.join_pairs, *select.subquery_filters)
    yield from (item.clause for item in spans)
    yield from select.group_by


def check_places(query: Query) -> None:
    """Check that every stretch is the text at its place."""
    for select in query.selects:
        for item in stretches(select):
            assert query.text[item.start : item.end] == item.text


@pytest.mark.parametrize("dialect", DIALECTS[1:])
@pytest.mark.parametrize("name", SAME)
def test_same_question_same_facts(name: str, dialect: str) -> None:
    text = SAME[name][dialect]
    query = parse(text, dialect, TABLES)
    check_places(query)
    assert not query.unknown_names
    assert facts(query) == facts(parse(SAME[name]["sqlite"], "sqlite", TABLES))


def only(text: str, dialect: str) -> Select:
    query = parse(text, dialect, TABLES)
    check_places(query)
    assert not query.unknown_names, query.unknown_names
    return query.root


def test_distinct_on_and_qualify_pick_rows() -> None:
    select = only("SELECT DISTINCT ON (name) name, price FROM t ORDER BY name", "postgres")
    assert [item.piece.text for item in select.projections] == ["name", "price"]
    assert (select.distinct, select.picks_rows) == (True, True)
    text = "SELECT name FROM t QUALIFY ROW_NUMBER() OVER (ORDER BY price) = 1 ORDER BY name"
    select = only(text, "duckdb")
    assert select.picks_rows
    assert [clause.text for clause in select.clauses] == ["SELECT name", "FROM t", "ORDER BY name"]
    assert not only("SELECT DISTINCT name FROM t", "postgres").picks_rows


@pytest.mark.parametrize(
    "text",
    [
        "SELECT t.name, x.n FROM t, LATERAL (SELECT u.name AS n FROM u WHERE u.t_id = t.id) AS x",
        "SELECT t.name FROM t LEFT JOIN LATERAL (SELECT * FROM u WHERE u.t_id = t.id) x ON TRUE",
        "SELECT t.name FROM t JOIN LATERAL (SELECT id FROM u UNION SELECT t.u_id) x ON TRUE",
    ],
)
def test_lateral_sees_what_stands_before_it(text: str) -> None:
    query = parse(text, "postgres", TABLES)
    assert not query.unknown_names
    assert any(select.correlated for select in query.selects)
    assert not query.root.correlated


def test_derived_table_does_not_see_its_neighbors() -> None:
    text = "SELECT t.name FROM t, (SELECT u.name FROM u WHERE u.t_id = t.id) AS x"
    assert [item.written for item in parse(text, "postgres", TABLES).unknown_names] == ["t.id"]


def test_group_by_all_groups_by_what_is_no_aggregate() -> None:
    select = only("SELECT name, MAX(price) FROM t GROUP BY ALL ORDER BY ALL", "duckdb")
    assert [use.column for use in select.group_columns] == ["name"]
    assert [item.piece.text for item in select.grouped_projections] == ["name"]


def test_fetch_first_row_only() -> None:
    select = only("SELECT name FROM t ORDER BY price FETCH FIRST ROW ONLY", "postgres")
    assert (select.limit, select.offset) == (1, None)
    assert select.clauses[-1].kind is Clause.LIMIT


def test_duckdb_reads_aliases_and_fields() -> None:
    select = only("SELECT name AS n, n || 'x' AS m FROM t WHERE n = 'a'", "duckdb")
    assert [one.column.column for one in select.comparisons] == ["name"]
    assert not parse("SELECT x AS y, y AS x FROM t", "duckdb", TABLES).root.columns
    select = only("SELECT name.first, price['a'] FROM t", "duckdb")
    assert [use.column for use in select.columns] == ["name", "price"]


@pytest.mark.parametrize("word", ["offset", "semi", "anti"])
def test_words_of_other_dialects_are_names_in_sqlite(word: str) -> None:
    query = parse(f"SELECT {word} FROM t ORDER BY {word} LIMIT 1", "sqlite", {"t": [word]})
    assert [use.column for use in query.root.columns] == [word, word]
    assert query.root.limit == 1


def test_double_quotes_are_a_text_in_mysql_only() -> None:
    (literal,) = only('SELECT id FROM t WHERE name = "x"', "mysql").literals
    assert (literal.value, literal.is_double_quoted) == ("x", False)
    query = parse('SELECT id FROM t WHERE name = "x"', "postgres", TABLES)
    assert [item.written for item in query.unknown_names] == ["x"]
    (literal,) = only('SELECT id FROM t WHERE name = "x"', "sqlite").literals
    assert literal.is_double_quoted


QUOTES = {"sqlite": '""', "postgres": '""', "mysql": "``", "duckdb": '""'}
TEXTS = {
    "sqlite": ["'x'", "'it''s'"],
    "postgres": ["'x'", "E'it\\'s'", "$$a -- b$$", "'\\'"],
    "mysql": ["'x'", "'it\\'s'", '"a # b"', "'\\\\'"],
    "duckdb": ["'x'", "$$a'b$$", "'\\'"],
}
TESTS = {
    "sqlite": ["{c} LIKE {v}", "{c} IS NOT {v}"],
    "postgres": ["{c} ILIKE {v}", "{c}::text = {v}", "{c} IS DISTINCT FROM {v}", "{c} ~ {v}"],
    "mysql": ["{c} <=> {v}", "{c} REGEXP {v}", "BINARY {c} = {v}", "{c} LIKE {v} && 1"],
    "duckdb": ["{c} ILIKE {v}", "{c}::VARCHAR = {v}", "{c} IS NOT DISTINCT FROM {v}"],
}
ENDS = {
    "sqlite": ["LIMIT 2", "LIMIT 2 OFFSET 1", ""],
    "postgres": ["OFFSET 1 LIMIT 2", "FETCH FIRST 2 ROWS ONLY", "LIMIT 2 OFFSET 1", ""],
    "mysql": ["LIMIT 1, 2", "LIMIT 2 OFFSET 1", ""],
    "duckdb": ["LIMIT 2 OFFSET 1", "OFFSET 1 LIMIT 2", ""],
}
BLANKS = [" ", "\n", " /* 'c' ( */ ", " -- it's; \"x\n"]


@st.composite
def written(draw: st.DrawFn) -> tuple[str, str, int]:
    """Draw a dialect, a query in it, and the number of its conditions."""
    dialect = draw(st.sampled_from(DIALECTS))
    opening, closing = tuple(QUOTES[dialect])
    columns = st.sampled_from(["name", "t.name", f"{opening}name{closing}"])
    conditions = draw(
        st.lists(
            st.builds(
                lambda test, column, value: test.format(c=column, v=value),
                st.sampled_from(["{c} = {v}", "{c} IN ({v}, {v})", *TESTS[dialect]]),
                columns,
                st.sampled_from(TEXTS[dialect]),
            ).filter(lambda text: "&&" not in text or dialect == "mysql"),
            min_size=1,
            max_size=3,
        )
    )
    parts = [f"SELECT {draw(columns)} AS x", "FROM t", f"WHERE {conditions[0]}"]
    parts += [f"AND {condition}" for condition in conditions[1:]]
    parts += [f"ORDER BY {draw(columns)} DESC", draw(st.sampled_from(ENDS[dialect]))]
    blanks = [draw(st.sampled_from(BLANKS)) for _ in parts]
    text = "".join(part + blank for part, blank in zip(parts, blanks, strict=True) if part)
    return dialect, text, len(conditions)


@given(written())
@settings(max_examples=150, deadline=None)
def test_places_in_every_dialect(made: tuple[str, str, int]) -> None:
    dialect, text, conditions = made
    query = parse(text, dialect, TABLES)
    check_places(query)
    assert not query.unknown_names
    (select,) = query.selects
    assert [use.column for use in select.columns] == ["name"] * (conditions + 2)
    assert len(select.literals) >= conditions
    assert len(select.order_by) == 1
    assert select.limit in (2, None)


@pytest.mark.parametrize(
    ("dialect", "names"),
    [("postgres", ["t1", "T 2", "book"]), ("mysql", ["T1", "T 2", "BOOK"])],
)
def test_an_alias_is_the_name_that_the_dialect_knows(dialect: str, names: list[str]) -> None:
    mark = "`" if dialect == "mysql" else '"'
    text = f"SELECT T1.id FROM author AS T1, author AS {mark}T 2{mark}, BOOK"
    query = parse(text, dialect, {"author": ["id"], "book": ["id"]})
    assert [source.alias for source in query.root.sources] == names
    assert [source.table for source in query.root.sources] == ["author", "author", "book"]
    assert query.unknown_names == ()
