"""Generated queries: what was put in must be found, at its place, in the author's own words.

A query is made as a list of words, with a note of what each stretch of them is. Random blanks and
comments then go between the words. The words of a found piece must be those of the note.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from clausewise.errors import ParseError
from clausewise.sql import Query, Select, parse

Words = list[str]
TABLES = {"t": ["a", "odd name", "from", "größe"], "u": ["b", 'say "hi"', "it's", "c"]}
NAMES = {
    "a": ["a", "A", '"a"', "`a`", "[a]"],
    "odd name": ['"odd name"', "`Odd Name`", "[odd name]"],
    "from": ['"from"', "`FROM`", "[from]"],
    "größe": ["größe", '"größe"'],
    "b": ["b", "B", "[b]"],
    'say "hi"': ['"say ""hi"""', '`say "hi"`'],
    "it's": ['"it\'s"', "[it's]"],
    "c": ["c", "C"],
}
STRINGS = ["'x'", "'it''s'", "'-- no comment'", "'/*'", "'a AND b'", "'é😀'", "''", "'\"'"]
NUMBERS = [["1"], ["2.5"], ["1e3"], ["-", "7"], ["0"]]
BLANKS = [" ", "  ", "\n", "\t", "\r\n", " /* c, AND ( ' */ ", " -- it's; \"x\n", "/**/"]
COMMENT = re.compile(r"/\*.*?\*/|--[^\n]*", re.DOTALL)
WORD = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|/\*.*?\*/|\w+(?:\.\d+)?|<>|[<>!=]=?|\|\||.""",
    re.DOTALL,
)


@dataclass
class Made:
    """A SELECT as words, with what it holds."""

    words: Words = field(default_factory=list)
    projections: list[Words] = field(default_factory=list)
    sources: list[Words] = field(default_factory=list)
    conjuncts: list[Words] = field(default_factory=list)
    comparisons: list[Words] = field(default_factory=list)
    filters: list[Words] = field(default_factory=list)
    pairs: list[Words] = field(default_factory=list)
    group_by: list[Words] = field(default_factory=list)
    order_by: list[Words] = field(default_factory=list)
    nested: list[Made] = field(default_factory=list)


def any_case(draw: st.DrawFn, text: str) -> Words:
    return [draw(st.sampled_from([word, word.lower(), word.title()])) for word in text.split()]


def column(draw: st.DrawFn, tables: list[tuple[str, str]]) -> Words:
    alias, table = draw(st.sampled_from(tables))
    name = draw(st.sampled_from(NAMES[draw(st.sampled_from(TABLES[table]))]))
    qualified = draw(st.booleans())
    return [alias, ".", name] if qualified else [name]


def constant(draw: st.DrawFn) -> Words:
    return list(draw(st.sampled_from([[text] for text in STRINGS] + NUMBERS)))


def bracketed(draw: st.DrawFn, words: Words) -> Words:
    return ["(", *words, ")"] if draw(st.integers(0, 5)) == 0 else words


def operand(draw: st.DrawFn, tables: list[tuple[str, str]]) -> Words:
    name = column(draw, tables)
    form = draw(st.sampled_from(["bare", "bare", "bare", "call", "cast", "brackets", "sum"]))
    if form == "call":
        return [*any_case(draw, "LOWER"), "(", *name, ")"]
    if form == "cast":
        return [*any_case(draw, "CAST"), "(", *name, *any_case(draw, "AS TEXT"), ")"]
    if form == "sum":
        return [*name, "+", "1"]
    return ["(", *name, ")"] if form == "brackets" else name


def comparison(draw: st.DrawFn, tables: list[tuple[str, str]]) -> Words:
    left = operand(draw, tables)
    form = draw(st.sampled_from(["op", "flipped", "in", "between", "like", "null", "not", "case"]))
    sign = draw(st.sampled_from(["=", "==", "<>", "!=", "<", "<=", ">", ">="]))
    no = any_case(draw, "NOT") if draw(st.booleans()) else []
    if form == "flipped":
        return [*constant(draw), sign, *left]
    if form == "in":
        listed = [*constant(draw), ",", *constant(draw)]
        return [*left, *no, *any_case(draw, "IN"), "(", *listed, ")"]
    if form == "between":
        between, and_ = any_case(draw, "BETWEEN"), any_case(draw, "AND")
        return [*left, *no, *between, *constant(draw), *and_, *constant(draw)]
    if form == "like":
        return [*left, *no, *any_case(draw, "LIKE"), draw(st.sampled_from(STRINGS))]
    if form == "null":
        return [*left, *any_case(draw, "IS"), *no, *any_case(draw, "NULL")]
    plain = [*left, sign, *constant(draw)]
    if form == "not":
        return [*any_case(draw, "NOT"), *bracketed(draw, plain)]
    if form == "case":
        inner = [*any_case(draw, "CASE WHEN 1 THEN"), *left, *any_case(draw, "END")]
        return [*inner, sign, *constant(draw)]
    return plain


def conjunct(draw: st.DrawFn, made: Made, tables: list[tuple[str, str]], depth: int) -> Words:
    form = draw(st.sampled_from(["plain", "plain", "plain", "or", "query"]))
    if form == "query" and depth > 0:
        inner = select(draw, depth - 1)
        made.nested.append(inner)
        heads = [[*column(draw, tables), *any_case(draw, "IN")], any_case(draw, "EXISTS")]
        heads.append([*column(draw, tables), "="])
        found = [*draw(st.sampled_from(heads)), "(", *inner.words, ")"]
        made.filters.append(found)
        return found
    first = comparison(draw, tables)
    made.comparisons.append(first)
    if form != "or":
        return bracketed(draw, first)
    second = comparison(draw, tables)
    made.comparisons.append(second)
    return ["(", *first, *any_case(draw, "OR"), *second, ")"]


def condition(draw: st.DrawFn, made: Made, tables: list[tuple[str, str]], depth: int) -> Words:
    words: Words = []
    for number in range(draw(st.integers(1, 3))):
        if number:
            words.extend(any_case(draw, "AND"))
        found = conjunct(draw, made, tables, depth)
        made.conjuncts.append(found)
        words.extend(found)
    return words


def source(draw: st.DrawFn, made: Made, number: int, depth: int) -> tuple[Words, tuple[str, str]]:
    alias, table = f"s{number}", draw(st.sampled_from(sorted(TABLES)))
    if depth > 0 and draw(st.integers(0, 4)) == 0:
        inner = select(draw, depth - 1)
        made.nested.append(inner)
        words = ["(", *inner.words, ")", *any_case(draw, "AS"), alias]
        made.sources.append(words)
        return words, ("", "")
    words = [table, *(any_case(draw, "AS") if draw(st.booleans()) else []), alias]
    made.sources.append(words)
    return words, (alias, table)


def joined(draw: st.DrawFn, made: Made, tables: list[tuple[str, str]], depth: int) -> Words:
    kind = draw(st.sampled_from(["JOIN", "INNER JOIN", "LEFT JOIN", "LEFT OUTER JOIN", ","]))
    words, table = source(draw, made, len(made.sources), depth)
    if kind == "," or table == ("", ""):
        tables.extend([table] if table[0] else [])
        return [*any_case(draw, "CROSS JOIN"), *words] if kind != "," else [",", *words]
    left = draw(st.sampled_from(tables))
    pair = [*qualified(draw, left), "=", *qualified(draw, table)]
    made.pairs.append(pair)
    made.conjuncts.append(pair)
    tables.append(table)
    return [*any_case(draw, kind), *words, *any_case(draw, "ON"), *pair]


def qualified(draw: st.DrawFn, table: tuple[str, str]) -> Words:
    name = draw(st.sampled_from(TABLES[table[1]]))
    return [table[0], ".", draw(st.sampled_from(NAMES[name]))]


def select(draw: st.DrawFn, depth: int) -> Made:
    made = Made()
    words, first = source(draw, made, 0, 0)
    tables = [first]
    joins = [
        word for _ in range(draw(st.integers(0, 2))) for word in joined(draw, made, tables, depth)
    ]
    head = any_case(draw, draw(st.sampled_from(["SELECT", "SELECT DISTINCT"])))
    listed: Words = []
    for number in range(draw(st.integers(1, 3))):
        item = projection(draw, tables, number)
        made.projections.append(item)
        listed.extend([",", *item] if number else item)
    made.words = [*head, *listed, *any_case(draw, "FROM"), *words, *joins]
    if draw(st.booleans()):
        made.words += [*any_case(draw, "WHERE"), *condition(draw, made, tables, depth)]
    if draw(st.booleans()):
        made.group_by = [column(draw, tables)]
        made.words += [*any_case(draw, "GROUP BY"), *made.group_by[0]]
    if draw(st.booleans()):
        key = operand(draw, tables)
        key += any_case(draw, draw(st.sampled_from(["DESC", "ASC", "", "DESC NULLS LAST"])))
        made.order_by = [key]
        made.words += [*any_case(draw, "ORDER BY"), *key]
    if draw(st.booleans()):
        made.words += [*any_case(draw, "LIMIT"), "3"]
    return made


def projection(draw: st.DrawFn, tables: list[tuple[str, str]], number: int) -> Words:
    form = draw(st.sampled_from(["column", "star", "count", "alias", "case"]))
    name = column(draw, tables)
    if form == "star":
        return ["*"] if draw(st.booleans()) else [tables[0][0], ".", "*"]
    if form == "count":
        return [*any_case(draw, "COUNT"), "(", *any_case(draw, "DISTINCT"), *name, ")"]
    if form == "alias":
        return [*operand(draw, tables), *any_case(draw, "AS"), f"z{number}"]
    if form == "case":
        return [*any_case(draw, "CASE"), *name, *any_case(draw, "WHEN 1 THEN 'x,' ELSE NULL END")]
    return name


def spaced(draw: st.DrawFn, words: Words) -> str:
    parts = [draw(st.sampled_from(["", "\n", "/* first */ "]))]
    for before, word in zip(["", *words], words, strict=False):
        tight = {before, word} & {".", "(", ")", ","} and "." in (before, word)
        parts.append("" if tight else draw(st.sampled_from(BLANKS)))
        parts.append(word)
    return "".join(parts) + draw(st.sampled_from(["", ";", " ; -- end", "\n/* end */"]))


@st.composite
def queries(draw: st.DrawFn) -> tuple[str, list[Made]]:
    """A query's text and its SELECTs, outermost first."""
    first = select(draw, depth=2)
    members = [first]
    words = first.words
    plain = not (first.order_by or "LIMIT" in map(str.upper, words))
    if plain and draw(st.booleans()):
        second = select(draw, depth=1)
        members.append(second)
        operator = draw(st.sampled_from(["UNION", "UNION ALL", "EXCEPT", "INTERSECT"]))
        words = [*words, *any_case(draw, operator), *second.words]
    if draw(st.booleans()):
        inner = select(draw, depth=0)
        members.append(inner)
        words = [
            *any_case(draw, "WITH"),
            "q",
            *any_case(draw, "AS"),
            "(",
            *inner.words,
            ")",
            *words,
        ]
    return spaced(draw, words), members


def words_of(text: str) -> Words:
    return [word for word in WORD.findall(text) if word.strip() and not COMMENT.fullmatch(word)]


def flat(made: list[Made]) -> list[Made]:
    return [each for one in made for each in (one, *flat(one.nested))]


def same(found: list[str], noted: list[Words]) -> None:
    left = sorted(words_of(text) for text in found)
    right = sorted(words_of(" ".join(words)) for words in noted)
    assert left == right


@settings(max_examples=60, deadline=None)
@given(queries())
def test_what_was_put_in_is_found(made: tuple[str, list[Made]]) -> None:
    sql, members = made
    query = parse(sql, tables=TABLES)
    every = flat(members)
    assert len(query.selects) == len(every)
    parts = {
        "projections": lambda s: [item.piece.text for item in s.projections],
        "sources": lambda s: [item.piece.text for item in s.sources],
        "conjuncts": lambda s: [item.piece.text for item in s.conjuncts],
        "comparisons": lambda s: [item.clause.text for item in s.comparisons],
        "filters": lambda s: [item.clause.text for item in s.subquery_filters],
        "group_by": lambda s: [item.text for item in s.group_by],
        "order_by": lambda s: [item.piece.text for item in s.order_by],
        "pairs": lambda s: [item.clause.text for item in s.join_pairs],
    }
    for name, view in parts.items():
        found = [text for one in query.selects for text in view(one)]
        same(found, [words for one in every for words in getattr(one, name)])


@settings(max_examples=60, deadline=None)
@given(queries())
def test_spans_hold_and_nest(made: tuple[str, list[Made]]) -> None:
    sql, _ = made
    query = parse(sql, tables=TABLES)
    assert query.span.start <= query.clauses[0].start
    for one in query.selects:
        for item in every_piece(one):
            assert sql[item.start : item.end] == item.text
            assert item.text == item.text.strip()
        parts: list[Any] = [*one.conjuncts, *one.columns, *one.literals]
        for item in parts:
            home = [
                clause
                for clause in one.clauses
                if clause.start <= item.piece.start and item.piece.end <= clause.end
            ]
            assert [clause.kind for clause in home] == [item.clause]
        for before, after in zip(one.clauses, one.clauses[1:], strict=False):
            assert before.end < after.start
        for clause in one.clauses:
            assert query.span.start <= clause.start < clause.end <= query.span.end


def every_piece(one: Select) -> list[Any]:
    owners: list[Any] = [*one.columns, *one.literals, *one.conjuncts, *one.sources, *one.aggregates]
    owners += [*one.projections, *one.order_by]
    pieces = [owner.piece for owner in owners]
    joined: list[Any] = [*one.comparisons, *one.join_pairs, *one.joins]
    pieces += [item.clause for item in joined]
    return [one.piece, *one.clauses, *pieces, *one.group_by]


@settings(max_examples=30, deadline=None)
@given(queries())
def test_slices_parse_to_the_same_expressions(made: tuple[str, list[Made]]) -> None:
    sql, _ = made
    query = parse(sql, tables=TABLES)
    nodes = set(tree(sql).walk())
    for one in query.selects:
        compared: list[Any] = [*one.comparisons, *one.subquery_filters]
        conditions = [item.clause for item in compared]
        conditions += [item.piece for item in one.conjuncts]
        for item in conditions:
            assert tree(f"SELECT 1 FROM t WHERE {item.text}\n").args["where"].this in nodes
        computed: list[Any] = [*one.projections, *one.aggregates]
        for item in computed:
            assert tree(f"SELECT {item.piece.text}\n").expressions[0] in nodes
        for item in one.sources:
            assert tree(f"SELECT 1 FROM {item.piece.text}\n").args["from_"].this in nodes


def tree(sql: str) -> exp.Expr:
    (parsed,) = Dialect.get_or_raise("sqlite").parse(" ".join(words_of(sql)))
    assert parsed is not None
    return parsed


@settings(max_examples=30, deadline=None)
@given(queries())
def test_parsing_twice_gives_the_same(made: tuple[str, list[Made]]) -> None:
    sql, _ = made
    assert facts(parse(sql, tables=TABLES)) == facts(parse(sql, tables=TABLES))


def facts(query: Query) -> list[object]:
    return [
        [one.clauses, one.columns, one.comparisons, one.join_pairs, one.conjuncts]
        for one in query.selects
    ]


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_broken_queries_raise_nothing_but_parse_errors(data: st.DataObject) -> None:
    sql, _ = data.draw(queries())
    cut = data.draw(st.integers(0, len(sql)))
    extra = data.draw(
        st.sampled_from(["", "(", ")", "'", "SELECT", ",", "JOIN", "CASE", ";", "ON"])
    )
    check_error(sql[:cut] + extra + sql[data.draw(st.integers(cut, len(sql))) :])


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
def test_any_text_raises_nothing_but_parse_errors(text: str) -> None:
    check_error("SELECT " + text)


def check_error(text: str) -> None:
    error = error_of(text)
    assert error is None or 0 <= error.start <= error.end <= len(text)


def error_of(text: str) -> ParseError | None:
    try:
        parse(text, tables=TABLES)
    except ParseError as error:
        return error
    return None


def test_the_words_of_these_tests() -> None:
    assert words_of("a.[b c] <> 'it''s' -- x\n AND 2.5 /* y */ >= \"q\"\"\"") == [
        "a", ".", "[b c]", "<>", "'it''s'", "AND", "2.5", ">=", '"q"""',
    ]  # fmt: skip


@pytest.mark.parametrize("blank", BLANKS)
def test_every_blank_separates(blank: str) -> None:
    words = ["SELECT", "a", "FROM", "t", "GROUP", "BY", "a", "ORDER", "BY", "a"]
    assert len(parse(blank.join(words)).root.clauses) == 4
