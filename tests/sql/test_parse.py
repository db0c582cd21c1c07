"""Guards, statements that do not read, other dialects, and what holds for every query."""

import pickle

import pytest

from clausewise.errors import InputError, ParseError
from clausewise.sql import Role, parse
from clausewise.sql.calculations import calculations, casts
from clausewise.sql.tokens import MAX_CHARACTERS, MAX_NESTING
from clausewise.types import Clause


@pytest.mark.parametrize(
    ("sql", "statement"),
    [
        ("DROP TABLE t;", "DROP"),
        ("insert into t values (1)", "INSERT"),
        ("REPLACE INTO t VALUES (1)", "REPLACE"),
        ("update t set a = 1", "UPDATE"),
        ("Delete From t", "DELETE"),
        ("ATTACH 'x.db' AS y", "ATTACH"),
        ("PRAGMA writable_schema = 1", "PRAGMA"),
        ("CREATE TABLE x AS SELECT 1", "CREATE"),
        ("EXPLAIN QUERY PLAN SELECT 1", "EXPLAIN"),
        ("VACUUM", "VACUUM"),
        ("VALUES (1), (2)", "VALUES"),
        ("WITH c AS (SELECT 1) DELETE FROM t WHERE a IN c", "DELETE"),
        ("WITH c AS (SELECT 1) INSERT INTO t SELECT * FROM c", "INSERT"),
    ],
)
def test_statements_that_are_no_select(sql: str, statement: str) -> None:
    query = parse(f"  {sql} ; -- done")
    assert (query.statement, query.selects) == (statement, ())
    assert query.span.text == sql.rstrip(";")
    assert query.span.kind is Clause.QUERY


@pytest.mark.parametrize("sql", ["WITH c AS (SELECT REPLACE(a, 'x', 'y') FROM t) SELECT 1 FROM c"])
def test_verbs_inside_brackets_are_functions(sql: str) -> None:
    assert parse(sql).statement == "SELECT"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT " + "(" * 2000 + "1" + ")" * 2000,
        "SELECT " + "NOT " * 5000 + "1",
        "SELECT " + "- " * 5000 + "1",
        "SELECT " + "CASE WHEN 1 THEN " * 2000 + "1" + " END" * 2000,
        "SELECT " + "(SELECT " * 2000 + "1" + ")" * 2000,
        "SELECT " + "abs(" * 2000 + "1" + ")" * 2000,
        "SELECT 1 FROM " + "(" * 2000 + "t" + ")" * 2000,
    ],
)
def test_nesting_beyond_the_limit_is_an_error(sql: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse(sql)
    assert str(MAX_NESTING) in caught.value.message
    assert 0 < caught.value.start < caught.value.end <= len(sql)


def test_nesting_within_the_limit_is_read() -> None:
    levels = MAX_NESTING - 10
    query = parse("SELECT a FROM t WHERE " + "(" * levels + "a = 1" + ")" * levels)
    assert [item.clause.text for item in query.root.comparisons] == ["a = 1"]
    assert [conjunct.piece.text[:1] for conjunct in query.root.conjuncts] == ["("]


def test_nested_queries_within_the_limit_are_read() -> None:
    levels = 60
    query = parse("SELECT a FROM t WHERE a IN (" * levels + "SELECT 1" + ")" * levels)
    assert (len(query.selects), query.depth) == (levels + 1, levels + 1)


@pytest.mark.parametrize("word", ["AND", "OR", "+", "||", "="])
def test_long_chains_are_read(word: str) -> None:
    sql = "SELECT a FROM t WHERE " + f" {word} ".join(["a"] * 4000)
    assert len(parse(sql).root.columns) == 4001


def test_long_lists_and_unions_are_read() -> None:
    values = ", ".join(map(str, range(9000)))
    query = parse(f"SELECT a FROM t WHERE a IN ({values})")
    assert len(query.root.comparisons[0].literals) == 9000
    members = parse(" UNION ".join(["SELECT a FROM t"] * 2000)).selects
    assert [select.role for select in members[:2]] == [Role.ROOT, Role.SET_MEMBER]


def test_100000_characters_are_read() -> None:
    sql = "SELECT a FROM t WHERE " + " AND ".join(f"a <> {number:05}" for number in range(6700))
    assert 100_000 <= len(sql) <= MAX_CHARACTERS
    root = parse(sql, tables={"t": ["a"]}).root
    assert len(root.conjuncts) == len(root.comparisons) == 6700


def test_too_long_text_is_an_error() -> None:
    with pytest.raises(ParseError, match=str(MAX_CHARACTERS)):
        parse("SELECT '" + "x" * MAX_CHARACTERS + "'")


def test_many_joins_without_condition_are_read_in_no_time() -> None:
    query = parse("SELECT 1 FROM t " + " ".join(f"JOIN t AS t{i}" for i in range(200)))
    assert {join.kind for join in query.root.joins} == {"inner"}
    assert len(query.root.sources) == 201


def test_a_keyword_behind_a_dot_is_a_name() -> None:
    sql = "SELECT t.end FROM t JOIN u ON t.a = u.and WHERE t.case = 1 AND t.b = 2"
    root = parse(sql).root
    assert [part.piece.text for part in root.conjuncts] == ["t.a = u.and", "t.case = 1", "t.b = 2"]
    assert [use.piece.text for use in root.columns][:3] == ["t.end", "t.a", "u.and"]


def test_no_calculations_in_what_is_no_select() -> None:
    query = parse("VALUES (1 + (2")
    assert (calculations(query), casts(query)) == ((), ())


def test_unknown_dialect() -> None:
    with pytest.raises(InputError, match="dialect"):
        parse("SELECT 1", dialect="klingon")


def test_double_quotes_are_names_elsewhere() -> None:
    sql = 'SELECT a FROM t WHERE a = "blue"'
    tables = {"t": ["a"]}
    assert [name.written for name in parse(sql, "postgres", tables).unknown_names] == ["blue"]
    assert parse(sql, "sqlite", tables).unknown_names == ()


def test_where_an_unknown_name_stands() -> None:
    sql = "SELECT a FROM nope WHERE a IN (SELECT zz FROM t)"
    places = [
        (name.written, name.place.kind, name.place.text)
        for name in parse(sql, tables={"t": ["b"]}).unknown_names
    ]
    assert places == [("nope", Clause.FROM, "nope")]
    sql = "SELECT 1 FROM t JOIN u AS v ON v.id = t.x"
    places = [
        (name.written, name.place.kind, sql[name.place.start : name.place.end])
        for name in parse(sql, tables={"t": ["b"]}).unknown_names
    ]
    assert places == [("u", Clause.JOIN, "u AS v"), ("t.x", Clause.JOIN, "t.x")]


def test_sources_and_joins_know_each_other() -> None:
    root = parse("SELECT 1 FROM t JOIN u ON t.a = u.a, v").root
    first, joined, after_comma = root.sources
    assert (first.join, after_comma.join) == (None, None)
    assert joined.join is root.joins[0]
    assert root.joins[0].source is joined
    assert root.joins[0].pairs == root.join_pairs


def test_join_condition_columns_are_marked() -> None:
    sql = "SELECT t.a FROM t JOIN u ON t.a = u.a AND t.b > u.b WHERE t.c = 1"
    marked = [use.piece.text for use in parse(sql).root.columns if use.in_join_condition]
    assert marked == ["t.a", "u.a"]


def test_columns_in_aggregates_are_marked() -> None:
    sql = "SELECT SUM(a + b), SUM(c) OVER (), MAX(d, e) FROM t HAVING COUNT(x) > 1"
    marked = [use.name for use in parse(sql).root.columns if use.in_aggregate]
    assert marked == ["a", "b", "x"]


def test_first_clause_of_a_kind() -> None:
    root = parse("SELECT a FROM t JOIN u JOIN v").root
    join, having = root.clause(Clause.JOIN), root.clause(Clause.HAVING)
    assert join is not None
    assert (join.text, having) == ("JOIN u", None)


def test_clauses_of_the_whole_query_in_text_order() -> None:
    query = parse("WITH c AS (SELECT 1 AS a) SELECT a FROM c UNION SELECT a FROM t ORDER BY a")
    kinds = [clause.kind.value for clause in query.clauses]
    assert kinds == ["with", "select", "select", "from", "set_operation", *kinds[5:]]
    assert kinds[5:] == ["select", "from", "order_by"]


def test_errors_survive_a_process_border() -> None:
    with pytest.raises(ParseError) as caught:
        parse("SELECT a FROM t WHERE")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (copy.message, copy.start, copy.end) == (caught.value.message, 16, 21)
