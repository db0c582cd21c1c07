"""Counterexamples in every view: which columns and rows are shown, and what is said of them."""

from __future__ import annotations

import json
import re

import pytest
from jsonschema import Draft202012Validator
from markdown_it import MarkdownIt

from clausewise.databases.instances import Instance, InstanceTable
from clausewise.databases.model import QueryResult
from clausewise.equivalence import (
    Attempt,
    Counterexample,
    DifferenceKind,
    EquivalenceResult,
    EquivalenceVerdict,
    Stage,
)
from clausewise.errors import InputError
from clausewise.reporting import load_schema, render, render_comparison
from clausewise.reporting.comparison_record import read_counterexample
from clausewise.reporting.counterexample_view import CELL_SHOWN, ROWS_SHOWN, counterexample_view

HOSTILE = "[red]x[/red] \x1b[31m <script>alert(1)</script> | `a` \n# head \u202e {{ 7*7 }}"
WIDE = ("id", "name", "city", *(f"extra_{place}" for place in range(8)))
PEOPLE = InstanceTable(
    "people",
    WIDE,
    ((1, "Ann", "Rome", *[None] * 8), (2, "Ann", "NULL", *[0] * 8), (3, "Bob", None, *["x"] * 8)),
)
ALL = "SELECT name FROM people"
DISTINCT = "SELECT DISTINCT name FROM people"


def rows_of(*rows, columns=("name",), truncated=False):
    return QueryResult(columns, tuple(rows), truncated)


def example(a, b, kind=DifferenceKind.ROWS, tables=(PEOPLE,)):
    instance = None if tables is None else Instance.of(list(tables))
    return Counterexample(kind, instance, a, b)


DUPLICATES = example(rows_of(("Ann",), ("Ann",), ("Bob",)), rows_of(("Ann",), ("Bob",)))

A, B = DUPLICATES.result_a, DUPLICATES.result_b


def view_of(counterexample, queries=(ALL, DISTINCT)):
    record = read_counterexample(counterexample.to_dict())
    assert record is not None
    return counterexample_view(record, queries)


def told_apart(counterexample=DUPLICATES):
    return EquivalenceResult(
        EquivalenceVerdict.NOT_EQUIVALENT,
        counterexample,
        attempts=(Attempt(Stage.GENERATED, 3, "told apart"),),
    )


SENTENCES = [
    (DUPLICATES, "On these rows the query gives 3 rows, the other query 2."),
    (example(rows_of(), rows_of(("Ann",))), "the query gives no row, the other query gives 1 row."),
    (example(rows_of(("Ann",)), rows_of()), "the query gives 1 row, the other query none."),
    (example(rows_of((3,)), rows_of((2,))), "the query gives 3, the other query 2."),
    (example(rows_of((None,)), rows_of(("NULL",))), "gives NULL, the other query 'NULL'."),
    (
        example(rows_of((1,), (2,)), rows_of((1,), (3,))),
        "On these rows both give 2 rows, of which 1 differs.",
    ),
    (
        example(rows_of((1,), (2,)), rows_of((2,), (1,)), DifferenceKind.ORDER),
        "On these rows both give the same 2 rows, in another order.",
    ),
    (
        example(rows_of((1, 2), columns=("a", "b")), rows_of((1,)), DifferenceKind.COLUMNS),
        "The query gives 2 columns, the other query 1.",
    ),
    (
        example(rows_of((1,), (1,), truncated=True), rows_of((2,)), tables=None),
        "On the given database the query gives 2+ rows, the other query 1.",
    ),
]


@pytest.mark.parametrize(("counterexample", "words"), SENTENCES)
def test_one_sentence_says_what_both_give(counterexample, words):
    assert view_of(counterexample).sentence.endswith(words)


def test_of_a_wide_table_the_first_column_and_those_in_use_are_shown():
    (table,) = view_of(DUPLICATES).tables
    assert table.columns == ("id", "name")
    assert table.notes == ("and 9 columns that no query mentions",)


def test_a_star_uses_every_column_of_its_source():
    (table,) = view_of(DUPLICATES, ("SELECT * FROM people", ALL)).tables
    assert table.columns == WIDE


def test_a_query_that_cannot_be_parsed_hides_no_column():
    (table,) = view_of(DUPLICATES, ("SELECT FROM WHERE", ALL)).tables
    assert table.columns == WIDE


def test_a_table_that_no_query_reads_is_named_only():
    city = InstanceTable("city", ("name",), (("Rome",),))
    view = view_of(example(A, B, tables=(PEOPLE, city)))
    assert [table.title for table in view.tables] == ["people"]
    assert view.notes == ("For the foreign keys there are also rows in city (1 row).",)


def test_rows_are_marked_that_the_other_result_lacks():
    first, second = view_of(DUPLICATES).results
    assert first.marked == (False, True, False)
    assert second.marked == (False, False)


def test_rows_at_another_place_are_marked_where_only_the_order_differs():
    a, b = rows_of((1,), (2,), (3,)), rows_of((1,), (3,), (2,))
    view = view_of(example(a, b, DifferenceKind.ORDER))
    assert [result.marked for result in view.results] == [(False, True, True)] * 2


def test_numbers_that_agree_in_six_digits_are_the_same_row():
    view = view_of(example(rows_of((1.00000001,), (2.0,)), rows_of((1,), (3,))))
    assert [result.marked for result in view.results] == [(False, True)] * 2


def test_of_many_rows_those_that_differ_are_shown():
    many = tuple((place,) for place in range(500))
    view = view_of(example(rows_of(*many), rows_of(*many[:-1]), tables=None))
    first = view.results[0]
    assert len(first.rows) == ROWS_SHOWN
    assert first.rows[-1][0].text == "499"
    assert first.marked[-1]
    assert first.notes == (f"and {500 - ROWS_SHOWN} rows not shown",)


def test_a_long_cell_is_shortened():
    view = view_of(example(rows_of(("a" * 500,)), rows_of(("b",))))
    assert "(500 characters)" in view.results[0].rows[0][0].text
    assert len(view.results[0].rows[0][0].text) < 2 * CELL_SHOWN


def test_the_text_shows_both_results_side_by_side():
    text = render_comparison(told_apart(), (ALL, DISTINCT))
    assert text == (
        "NOT EQUIVALENT\n"
        "On these rows the first query gives 3 rows, the second query 2.\n"
        "\n"
        "first query    SELECT name FROM people\n"
        "second query   SELECT DISTINCT name FROM people\n"
        "\n"
        "people\n"
        "id   name\n"
        "─────────\n"
        " 1   Ann\n"
        " 2   Ann\n"
        " 3   Bob\n"
        "and 9 columns that no query mentions\n"
        "\n"
        "The first query    The second query\n"
        "name               name\n"
        "────────           ────\n"
        "Ann                Ann\n"
        "Ann    *           Bob\n"
        "Bob\n"
        "\n"
        "* marked rows are not in the other result\n"
        "\n"
        "tried  generated instances (3): told apart\n"
    )


def test_results_stand_below_each_other_where_they_do_not_fit():
    wide = rows_of(("a" * 50, "b" * 50), columns=("one", "two"))
    text = render_comparison(told_apart(example(wide, rows_of(), tables=None)), (ALL, DISTINCT))
    lines = text.splitlines()
    assert lines.index("The first query") < lines.index("The second query")
    assert "(no row)" in lines


def test_color_adds_codes_and_nothing_else():
    plain = render_comparison(told_apart(), (ALL, DISTINCT))
    colored = render_comparison(told_apart(), (ALL, DISTINCT), color=True)
    assert "\x1b[1;31mNOT EQUIVALENT" in colored
    without = re.sub(r"\x1b\[[\d;]*m", "", colored)
    assert [line.rstrip() for line in without.splitlines()] == plain.splitlines()


@pytest.mark.parametrize("format", ["text", "markdown", "html"])
def test_null_is_told_from_its_name_in_every_view(format):
    result = told_apart(example(rows_of((None,)), rows_of(("NULL",))))
    shown = render_comparison(result, (ALL, DISTINCT), format)
    assert "NULL" in shown
    assert "'NULL'" in shown.replace("&#39;", "'")


@pytest.mark.parametrize("format", ["text", "markdown", "html"])
def test_hostile_cells_stay_text(format):
    table = InstanceTable(HOSTILE, (HOSTILE, "name"), ((HOSTILE, HOSTILE),))
    counterexample = example(
        rows_of((HOSTILE,), columns=(HOSTILE,)), rows_of(columns=(HOSTILE,)), tables=(table,)
    )
    shown = render_comparison(told_apart(counterexample), (ALL, HOSTILE), format)
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "{{ 7*7 }}" in shown.replace("\\", "")
    if format == "text":
        assert "[red]x[/red]" in shown
    if format == "html":
        assert "<script>" not in shown
    if format == "markdown":
        html = MarkdownIt("commonmark").enable("table").render(shown)
        assert "<script>" not in html
        assert html.count("<h1>") == 1


def test_markdown_shows_tables():
    shown = render_comparison(told_apart(), (ALL, DISTINCT), "markdown")
    html = MarkdownIt("commonmark").enable("table").render(shown)
    assert html.count("<table>") == 3
    assert html.count("<td>*</td>") == 1


def test_the_json_is_valid_and_holds_everything():
    results = [
        told_apart(),
        told_apart(example(A, B, tables=None)),
        EquivalenceResult(EquivalenceVerdict.EQUIVALENT, proof=("The texts are the same.",)),
        EquivalenceResult(EquivalenceVerdict.UNKNOWN, reason="not tried"),
    ]
    for result in results:
        written = json.loads(render_comparison(result, (ALL, DISTINCT), "json"))
        Draft202012Validator(load_schema("comparison")).validate(written)
        assert written == result.to_dict()
    broken = told_apart().to_dict() | {"verdict": "MAYBE"}
    assert not Draft202012Validator(load_schema("comparison")).is_valid(broken)


@pytest.mark.parametrize("format", ["text", "markdown", "html"])
def test_proofs_and_reasons_are_shown(format):
    proved = EquivalenceResult(EquivalenceVerdict.EQUIVALENT, proof=("The texts are the same.",))
    assert "The texts are the same" in render_comparison(proved, (ALL, ALL), format)
    unknown = EquivalenceResult(EquivalenceVerdict.UNKNOWN, reason="a query reads a view")
    assert "A query reads a view." in render_comparison(unknown, (ALL, ALL), format)


def test_an_unknown_format_is_refused():
    with pytest.raises(InputError, match="known: text, json, markdown, html"):
        render_comparison(told_apart(), (ALL, DISTINCT), "csv")


def with_evidence(record, evidence):
    finding = record["findings"][0] | {"evidence": evidence}
    return record | {"findings": [finding]}


@pytest.mark.parametrize("format", ["text", "markdown", "html"])
def test_a_finding_shows_its_counterexample(records, signal_notes, format):
    evidence = {"rival_sql": DISTINCT, "counterexample": DUPLICATES.to_dict()}
    record = with_evidence(records[0], evidence) | {"predicted_sql": ALL}
    shown = render([record], format, signals=signal_notes)
    assert "On these rows the query gives 3 rows, the other query 2." in shown
    assert "The other query" in shown
    assert "result a" not in shown
    assert DISTINCT in shown
    if format == "markdown":
        html = MarkdownIt("commonmark").enable("table").render(shown)
        assert html.count("<td>Bob</td>") == 3


def test_a_finding_may_name_what_gave_the_results(records, signal_notes):
    evidence = {
        "counterexample": DUPLICATES.to_dict(),
        "result_names": ["the query", "the question, as the model reads it"],
    }
    shown = render([with_evidence(records[0], evidence)], "text", signals=signal_notes)
    assert "the query gives 3 rows, the question, as the model reads it 2." in shown


BROKEN = [
    "no rows",
    {"kind": "rows"},
    DUPLICATES.to_dict() | {"kind": "taste"},
    DUPLICATES.to_dict() | {"result_a": {"columns": ["a"], "rows": [[1, 2]]}},
    DUPLICATES.to_dict() | {"tables": {"t": {"columns": [], "rows": [[1]]}}},
]


@pytest.mark.parametrize("value", BROKEN)
def test_evidence_that_only_looks_like_a_counterexample_is_shown_in_words(
    records, signal_notes, value
):
    assert read_counterexample(value) is None
    shown = render(
        [with_evidence(records[0], {"counterexample": value})], "text", signals=signal_notes
    )
    assert "counterexample" in shown
