"""What may be sent to a server: one query that only reads, without its comments."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausewise.errors import ParseError, QueryDenied
from clausewise.sql.reading import reading_text

READS = {
    "postgres": [
        "SELECT a::int, b ->> 'c' FROM t WHERE a ~ 'x' AND b ILIKE 'y' FETCH FIRST 3 ROWS ONLY",
        "SELECT $$a$$, $x$ pg_sleep(1) $x$, 'pg_sleep(1)', \"pg_sleep\" FROM t",
        "WITH x AS (SELECT 1 AS a) SELECT pg_typeof(a) FROM x UNION ALL SELECT 'b'",
        "SELECT DISTINCT ON (a) a, b FROM public.t ORDER BY a, b",
    ],
    "mysql": [
        "SELECT CONCAT('a', \"sleep(1)\"), `into` FROM t WHERE a <=> b LIMIT 1, 2",
        "SELECT DATE_ADD(a, INTERVAL 1 DAY), N'x', 0x41, 'it\\'s' FROM db.t",
        "SELECT @@version, a REGEXP 'x' FROM t",
    ],
}
UNREADABLE = "unreadable: "
MORE = {
    "postgres": {
        "DELETE FROM t": "unreadable: ",
        "SELECT 1; DROP TABLE t": "unreadable: 2 statements",
        "WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x": "DELETE",
        "WITH x AS (INSERT INTO t VALUES (1) RETURNING *) SELECT * FROM x": "INSERT",
        "SELECT * INTO u FROM t": "INTO",
        "SELECT a FROM t FOR UPDATE": "locks",
        "SELECT a FROM t FOR SHARE OF t": "locks",
        "COPY t TO '/x'": "unreadable: ",
        "SELECT pg_sleep(1)": "pg_sleep",
        'SELECT "pg_sleep"(1)': "pg_sleep",
        "SELECT pg_catalog.PG_TERMINATE_BACKEND(1)": "pg_terminate_backend",
        "SELECT * FROM pg_ls_dir('/')": "pg_ls_dir",
        "SELECT * FROM dblink('x', 'y') AS t(a int)": "dblink",
        "SELECT set_config('a', 'b', false)": "set_config",
        "SELECT nextval('s')": "nextval",
        "SELECT lo_import('/x')": "lo_import",
        "SELECT query_to_xml('DELETE FROM t', true, true, '')": "query_to_xml",
        'SELECT U&"\\0070g_sleep"(1)': f"{UNREADABLE}a name written with escapes",
        "SELECT 'a\\', pg_sleep(1), 'b'": "pg_sleep",
        "SET x = 1": "unreadable: ",
        "": "unreadable: ",
    },
    "mysql": {
        "SELECT a FROM t INTO OUTFILE '/x'": "unreadable: ",
        "SELECT a INTO DUMPFILE '/x' FROM t": "unreadable: ",
        "SELECT 1 INTO @a": "INTO",
        "SELECT @a := 1": "variable",
        "SELECT sleep(1)": "sleep",
        "SELECT `sleep`(1)": "sleep",
        "SELECT /*! sleep(1), */ 1": "comment",
        "SELECT 1 /*!50000 INTO OUTFILE '/x' */": "comment",
        "SELECT 1 /*M! , sleep(1) */": "comment",
        "/*! SELECT */ 1": UNREADABLE,
        "SELECT BENCHMARK(1, 1)": "benchmark",
        "SELECT LOAD_FILE('/x')": "load_file",
        "SELECT GET_LOCK('a', 1)": "get_lock",
        "SELECT 1--sleep(1)": "sleep",
        "SELECT '\\'', sleep(1), '\\''": "sleep",
        "SELECT a FROM t LOCK IN SHARE MODE": "locks",
        "SELECT /*+ SET_VAR(max_execution_time=0) */ 1": "hints",
        "SELECT NEXT VALUE FOR s": "unreadable: ",
        "DO sleep(1)": "unreadable: ",
        "HANDLER t OPEN": "unreadable: ",
    },
}


@pytest.mark.parametrize(("dialect", "sql"), [(d, q) for d, found in READS.items() for q in found])
def test_what_only_reads_is_sent_as_it_is(dialect: str, sql: str) -> None:
    assert reading_text(sql, dialect) == sql


@pytest.mark.parametrize(
    ("dialect", "sql", "reason"),
    [(d, *item) for d, found in MORE.items() for item in found.items()],
)
def test_what_does_more_is_refused(dialect: str, sql: str, reason: str) -> None:
    error = ParseError if reason.startswith(UNREADABLE) else QueryDenied
    with pytest.raises(error, match=reason.removeprefix(UNREADABLE) or None):
        reading_text(sql, dialect)


@pytest.mark.parametrize(
    ("dialect", "sql", "sent"),
    [
        ("mysql", "SELECT 1 # sleep(1)\n, 2;", "SELECT 1           \n, 2"),
        ("postgres", "SELECT /* /* */ pg_sleep(1) */ 1", "SELECT                         1"),
        ("postgres", "SELECT a -- it's\nFROM t", "SELECT a        \nFROM t"),
    ],
)
def test_comments_are_not_sent(dialect: str, sql: str, sent: str) -> None:
    assert reading_text(sql, dialect) == sent


@given(
    st.sampled_from(["postgres", "mysql"]),
    st.lists(st.sampled_from(["/*", "*/", "/*!", "--", "-- ", "#", "\n", "'", '"', " 1 ", ","])),
)
def test_no_comment_hides_a_call(dialect: str, parts: list[str]) -> None:
    sql = f"SELECT 1 {''.join(parts)} , nextval(1)"
    try:
        sent = reading_text(sql, dialect)
    except (ParseError, QueryDenied):
        return
    bare = sent.replace("''", "").replace('""', "")
    quoted = bare.count("'") + bare.count('"') > 0
    assert quoted or "nextval" not in sent
