"""Carets stand under what they mark, whatever the query looks like."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from clausewise.reporting.marking import (
    ROWS_SHOWN,
    Mark,
    marked_pieces,
    marked_rows,
    merge_marks,
)
from clausewise.text import visible


def printed(sql, places, width=88):
    lines = []
    for row in marked_rows(sql, merge_marks(places, sql), width):
        lines += [row.text, *row.under]
    return lines


def test_carets_stand_under_the_marked_text():
    assert printed("SELECT a FROM b WHERE c = 1", [(22, 27)]) == [
        "SELECT a FROM b WHERE c = 1",
        "                      ^^^^^ 1",
    ]


def test_overlapping_marks_have_rows_of_their_own_and_equal_ones_share_a_label():
    assert printed("SELECT a + b", [(7, 12), (7, 8), (7, 12), (11, 12)]) == [
        "SELECT a + b",
        "       ^^^^^ 1,3",
        "       ^ 2 ^ 4",
    ]


def test_a_mark_over_several_lines_is_drawn_on_each_without_its_margins():
    sql = "SELECT 1\n  FROM t  \n\n WHERE x"
    assert printed(sql, [(7, len(sql) - 2)]) == [
        "SELECT 1",
        "       ^ 1",
        "  FROM t  ",
        "  ^^^^^^ 1",
        "",
        " WHERE x",
        " ^^^^^ 1",
    ]


def test_a_mark_over_the_whole_query_marks_nothing():
    assert printed(" SELECT 1 ; ", [(1, 9)]) == [" SELECT 1 ; "]


def test_an_empty_place_is_widened_to_a_character():
    assert printed("SELECT a FROM", [(13, 13)])[1] == "            ^ 1"
    assert printed("SELECT a FROM", [(7, 7)])[1] == "       ^ 1"
    assert printed("", [(0, 0)]) == [""]


def test_places_outside_the_text_are_clipped():
    assert printed("SELECT a", [(7, 900), (500, 900)])[1] == "       ^ 1,2"


def test_wide_characters_count_as_two_columns():
    assert printed("'東京' = x", [(7, 8)])[1] == "         ^ 1"
    assert printed("'東京' = x", [(0, 4)])[1] == "^^^^^^ 1"


def test_long_lines_are_broken_after_a_space_and_marks_follow():
    sql = "SELECT alpha, beta, gamma"
    assert printed(sql, [(14, 25)], width=16) == [
        "SELECT alpha, ",
        "beta, gamma",
        "^^^^^^^^^^^ 1",
    ]


def test_only_the_rows_around_marks_of_a_long_query_are_shown():
    sql = "\n".join(f"line{number:03}" for number in range(300))
    start = sql.index("line150")
    rows = marked_rows(sql, [Mark(start, start + 7, "1")])
    assert [row.text for row in rows if not row.skipped] == [
        *("line000", "line001", "line002"),
        *("line148", "line149", "line150", "line151", "line152"),
    ]
    assert sum(row.skipped for row in rows) == 292
    assert len(marked_rows("\n" * (ROWS_SHOWN - 1), [])) == ROWS_SHOWN


QUERIES = st.text(st.sampled_from("ab \n\t'東\r\x1b;"), max_size=80)


@given(QUERIES, st.integers(1, 30))
def test_the_rows_hold_the_whole_visible_text(sql, width):
    rows = marked_rows(sql, [], width)
    lines: list[str] = []
    for row in rows:
        if row.line is None:
            lines[-1] += row.text
        else:
            lines.append(row.text)
    if len(rows) <= ROWS_SHOWN and not any(row.skipped for row in rows):
        assert "\n".join(lines) == visible(sql)
        assert [row.line for row in rows if row.line] == list(range(1, len(lines) + 1))
    assert all(cell_len(row.text) <= max(width, 2) for row in rows)


@given(QUERIES, st.lists(st.tuples(st.integers(0, 80), st.integers(0, 80)), max_size=6))
def test_every_caret_has_a_marked_character_above_it(sql, places):
    marks = merge_marks([(min(place), max(place)) for place in places], sql)
    for row in marked_rows(sql, marks, 20):
        columns: set[int] = set()
        for start, end in row.marked:
            first = cell_len(row.text[:start])
            columns |= set(range(first, first + cell_len(row.text[start:end])))
        carets = {place for under in row.under for place, sign in enumerate(under) if sign == "^"}
        assert carets == columns


@given(QUERIES, st.lists(st.tuples(st.integers(0, 80), st.integers(0, 80)), max_size=6))
def test_the_pieces_put_together_are_the_visible_text(sql, places):
    marks = merge_marks([(min(place), max(place)) for place in places], sql)
    pieces = marked_pieces(sql, marks)
    assert "".join(text for text, _ in pieces) == visible(sql)
    labeled = sum(len(text) for text, label in pieces if label)
    inside = {place for mark in marks for place in range(mark.start, mark.end)}
    assert labeled == len(inside)
