"""The SQL in what a language model replies; offsets stay those of the reply."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausewise.sql.unwrapping import bare_sql, bare_statement

SQL = "SELECT name\nFROM customers WHERE city = 'Cork'"

WRAPPED = {
    "fence with a language": f"```sql\n{SQL}\n```",
    "fence without a language": f"```\n{SQL}\n```",
    "fence in capitals": f"```SQL\n{SQL}\n```",
    "fence of SQLite": f"```sqlite\n{SQL};\n```\n",
    "fence on one line": f"```sql {SQL} ```",
    "fence without a break": f"```{SQL}```",
    "unclosed fence": f"```sql\n{SQL}",
    "closing fence alone": f"{SQL}\n```",
    "closing fence and more": f"{SQL}\n```\nThis lists the customers' names.",
    "tildes": f"~~~sql\n{SQL}\n~~~",
    "windows breaks": f"```sql\r\n{SQL}\r\n```\r\n",
    "prose before": f"Here's the query:\n\n```sql\n{SQL}\n```",
    "prose around": f"Sure! Use this:\n```sql\n{SQL}\n```\nIt lists the names. It's quick.",
    "prose that begins with a verb of SQL": f"With this one:\n```sql\n{SQL}\n```",
    "a block of another language": f"```python\nprint(1)\n```\n```sql\n{SQL}\n```",
    "label": f"SQL: {SQL}",
    "label of LangChain": f"SQLQuery: {SQL}",
    "label in two words": f"SQL Query:\n{SQL}",
    "answer": f"Answer: {SQL}",
    "bold label": f"**SQL:** {SQL}",
    "label in a fence": f"```sql\nSQL: {SQL}\n```",
    "label and fence": f"SQLQuery:\n```sql\n{SQL}\n```\nSQLResult: 5",
    "label and result": f"Question: Who?\nSQLQuery: {SQL}\nSQLResult: [(1,)]\nAnswer: Ann",
    "thought": f"<think>Hm, SELECT?</think>\n{SQL}",
    "thought and fence": f"<think>```sql\nSELECT 2```</think>\n```sql\n{SQL}\n```",
}

BARE = [
    SQL,
    f"  {SQL};\n",
    "WITH a AS (SELECT 1) SELECT * FROM a",
    "(SELECT 1) UNION SELECT 2",
    "-- SQL: a comment\nSELECT 1",
    "/* ```sql */ SELECT 1",
    "SELECT '```' FROM t",
    "SELECT 'a ```sql SELECT 1 ```' FROM t",
    "SELECT ' ~~~ it''s ```' FROM t",
    "VALUES (1)",
    "",
    "   ",
    "DROP TABLE customers",
    "The answer is forty-two.",
    "```python\nprint(1)\n```",
    "SQL: I cannot answer this question.",
    "select: nothing",
]


@pytest.mark.parametrize("reply", WRAPPED.values(), ids=WRAPPED)
def test_what_surrounds_a_query_is_blank(reply: str) -> None:
    bare = bare_sql(reply)
    assert bare is not None
    assert bare.strip().rstrip(";") == SQL
    assert len(bare) == len(reply)
    assert bare.index(SQL) == reply.index(SQL)
    assert [at for at, mark in enumerate(bare) if mark == "\n"] == [
        at for at, mark in enumerate(reply) if mark == "\n"
    ]
    assert bare_statement(reply).rstrip(";") == SQL


@pytest.mark.parametrize("text", BARE)
def test_bare_text_is_left_alone(text: str) -> None:
    assert bare_sql(text) is None
    assert bare_statement(text) == text


def test_of_two_queries_none_is_chosen() -> None:
    assert bare_sql("```sql\nSELECT 1\n```\nor\n```sql\nSELECT 2\n```") is None


@given(st.text(alphabet="`~ \n'S:Q;LECTselect1*<think>/-"))
def test_offsets_hold_for_any_text(text: str) -> None:
    bare = bare_sql(text)
    if bare is not None:
        assert len(bare) == len(text)
        assert all(new in (old, " ") for new, old in zip(bare, text, strict=True))
        assert bare_sql(bare.strip()) is None or bare_sql(bare.strip()) != bare.strip()


def test_a_long_literal_full_of_backticks_is_looked_through_once() -> None:
    text = "SELECT '" + " ```" * 250_000 + "'"  # an hour where each of them looks back to the start
    assert bare_sql(text) is None
