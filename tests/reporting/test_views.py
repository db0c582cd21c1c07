"""Every view on the same records: what it says, and that hostile text stays text."""

from __future__ import annotations

import html
import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from clausewise._version import __version__
from clausewise.errors import InputError, RegistryError
from clausewise.reporting import VIEWS, build_report, render, to_json

HOSTILE = (
    "[red]x[/red] \x1b[31m\x1b]0;title\x07 `a` ```` \r\n# head\n- item\n1. one\n"
    "<script>alert(1)</script> ![i](http://evil/i.png) [l](http://evil) https://evil www.evil.org "
    "a|b ~~s~~ *e* &lt; \u202eoverride \x9b2J \x00 \u2028 \udc80 {{ 7*7 }} {% raw %} :smile: @me"
)


def as_hostile(record, text):
    clause = {"kind": "where", "text": text, "start": 0, "end": max(1, len(text) // 2)}
    finding = {
        "signal": text,
        "code": text,
        "reason": text,
        "clause": clause,
        "score": 0.5,
        "message": text,
        "evidence": {text: [text, {text: float("inf")}]},
        "suggestion": text,
        "level": "error",
        "contribution": 700.0,
    }
    return record | {
        "question_id": text,
        "db_id": text,
        "question": text,
        "evidence": text,
        "predicted_sql": text,
        "reason": text,
        "status": "not_executable",
        "p_correct": 0,
        "verdict": "incorrect",
        "findings": [finding, finding],
        "signals": {text: "fired", f"{text}2": "fault"},
        "signal_reasons": {f"{text}2": text},
    }


@pytest.mark.parametrize(
    ("view", "file"),
    [("text", "report.txt"), ("markdown", "report.md"), ("csv", "report.csv")],
)
def test_the_readable_views_are_as_written_down(records, signal_notes, golden, view, file):
    settings = {"detector": "packaged", "threshold": 0.5}
    expected = golden(file).replace("{version}", __version__)
    assert render(records, view, signals=signal_notes, settings=settings) == expected


def test_one_case_has_no_summary_line(records, signal_notes):
    assert render(records[:1], signals=signal_notes).startswith("Case 7, database shop\n")


def test_no_case_is_a_report_too(signal_notes):
    assert "0 cases" in render([], signals=signal_notes)
    assert "0 cases" in render([], "markdown", signals=signal_notes)


def test_color_adds_codes_and_nothing_else(records, signal_notes):
    plain = render(records, signals=signal_notes)
    colored = render(records, signals=signal_notes, color=True)
    assert "\x1b[1;31mINCORRECT\x1b[0m" in colored
    without = re.sub(r"\x1b\[[\d;]*m", "", colored)
    assert [line.rstrip() for line in without.splitlines()] == plain.splitlines()


def test_text_keeps_to_its_width(records, signal_notes):
    text = render(records, signals=signal_notes, width=60)
    too_long = [line for line in text.splitlines() if len(line) > 60]
    assert too_long == []


def test_what_was_not_checked_is_counted_and_on_request_listed(records, signal_notes):
    idle = "candidate_disagreement, counterexample_disagreement: does not apply"
    for view in ("text", "markdown"):
        plain = render(records[:1], view, signals=signal_notes).replace("\\_", "_")
        assert "4 of 7 signals looked at this query, 3 of them found something" in plain
        assert "table_similarity: failed: not done after 5 s" in plain
        assert idle not in plain
        detailed = render(records[:1], view, signals=signal_notes, details=True)
        assert idle in detailed.replace("\\_", "_")
    assert idle in render(records[:1], "html", signals=signal_notes)
    many = [records[0] | {"question_id": place} for place in range(51)]
    assert idle not in render(many, "html", signals=signal_notes)
    assert idle in render(many, "html", signals=signal_notes, details=True)


def test_of_many_cases_those_are_written_out_that_a_person_should_look_at(records, signal_notes):
    for view, heading in (("text", "\nCase p-2"), ("markdown", "## Case p-2")):
        assert heading not in render(records, view, signals=signal_notes)
        assert heading in render(records, view, signals=signal_notes, details=True)
        assert heading in render(records, view, signals=signal_notes, only=["correct"])
        doubted = [records[1] | {"abstained": True}, *records]
        assert heading in render(doubted, view, signals=signal_notes)
    assert "| p-2 | shop | correct | 0.938 |" in render(records, "markdown", signals=signal_notes)


def test_findings_that_are_alike_are_counted(records, signal_notes):
    finding = records[0]["findings"][1]
    scores = [finding | {"score": round(0.9 - place / 1000, 3)} for place in range(20)]
    other = finding | {"reason": "another", "score": 0.1}
    record = records[0] | {
        "findings": [*scores, other],
        "more_findings": {"empty_predicate": 880},
    }
    for view in ("text", "markdown", "html"):
        shown = render([record], view, signals=signal_notes)
        assert shown.count("no row satisfies") == 4
        assert "and 17 more like it" in shown
        assert "and 880 more like it" in shown
    assert render([record], signals=signal_notes, details=True).count("no row satisfies") == 21
    assert render([record], "csv", signals=signal_notes).splitlines()[1].split(",")[7] == "901"
    (case,) = json.loads(render([record], "json", signals=signal_notes))["cases"]
    assert len(case["findings"]) == 21


def test_the_json_view_is_the_report(records, signal_notes):
    report = json.loads(render(records, "json", signals=signal_notes))
    assert [case["question_id"] for case in report["cases"]] == [7, "p-2", 9, None]


def test_json_can_always_be_written_and_comes_back_as_it_was():
    value = {"text": HOSTILE, "number": float("nan")}
    written = to_json(value)
    written.encode("utf-8")
    assert json.loads(written) == {"text": HOSTILE, "number": "nan"}


@pytest.mark.parametrize("view", list(VIEWS))
def test_every_view_writes_hostile_text_that_can_be_encoded(records, view):
    rendered = render([as_hostile(records[0], HOSTILE)] * 2, view, signals={})
    assert rendered.endswith("\n")
    rendered.encode("utf-8")
    controls = {c for c in rendered if ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0}
    assert controls == {"\n"}
    assert not {"\u202e", "\u2028"} & set(rendered)


def test_hostile_text_adds_no_codes_to_a_colored_report(records):
    colored = render([as_hostile(records[0], HOSTILE)], signals={}, color=True)
    assert "[red]x[/red]" in colored
    assert ":smile:" in colored
    assert set(re.findall(r"\x1b[^m]*m", colored)) <= {
        f"\x1b[{code}m" for code in ("0", "1", "2", "31", "1;31")
    }


def test_markdown_shows_hostile_text_as_it_is(records):
    rendered = render([as_hostile(records[0], HOSTILE)], "markdown", signals={})
    parser = MarkdownIt("commonmark").enable("table").enable("strikethrough")
    tokens = parser.parse(rendered)
    inline = [child for token in tokens for child in token.children or ()]
    kinds = {token.type for token in [*tokens, *inline]}
    assert not kinds & {"html_block", "html_inline", "link_open", "image", "em_open", "s_open"}
    assert [token.tag for token in tokens if token.type == "heading_open"] == ["h1", "h2"]
    shown = "".join(child.content for child in inline if child.type in ("text", "text_special"))
    assert "[l](http://evil) https://evil www.evil.org a|b ~~s~~ *e* &lt;" in shown
    assert "{{ 7*7 }} {% raw %}" in shown
    assert len([token for token in tokens if token.type == "fence"]) == 1


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = set()
        self.attributes = set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


def test_html_loads_nothing_runs_nothing_and_shows_hostile_text(records):
    rendered = render([as_hostile(records[0], HOSTILE)], "html", signals={})
    found = Tags()
    found.feed(rendered)
    assert not found.tags & {"script", "img", "a", "link", "iframe"}
    assert not found.attributes & {"href", "src", "style", "onclick", "onload"}
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in rendered


def test_html_marks_overlapping_places_and_keeps_the_query(records, signal_notes):
    rendered = render(records[:1], "html", signals=signal_notes)
    query = re.search(r"<pre><code>(.*?)</code></pre>", rendered, re.DOTALL)[1]
    assert "<mark>T1.city = &#39;berlin&#39;</mark><sup>1,2</sup>" in query
    unmarked = re.sub(r"<sup>[\d,]+</sup>|</?mark>", "", query).replace("&#39;", "'")
    assert unmarked == records[0]["predicted_sql"]


def test_html_has_the_line_that_dismisses_a_finding(records):
    finding = as_hostile({}, "x")["findings"][0] | {"signal": "a", "reason": "b"}
    record = records[0] | {"question_id": "q<1>", "findings": [finding]}
    (line,) = re.findall(r"<code>(\{.*?\})</code>", render([record], "html"))
    assert json.loads(html.unescape(line)) == {
        "question_id": "q<1>",
        "signal": "a",
        "reason": "b",
        "finding": "dismissed",
    }
    silent = record | {"findings": [finding | {"contribution": 0.0}]}
    assert "Wrong here?" not in render([silent], "html")


def test_html_filters_by_every_verdict(records, signal_notes):
    rendered = render(records, "html", signals=signal_notes)
    for verdict in ("correct", "incorrect", "unchecked"):
        assert f'id="only-{verdict}"' in rendered
        assert f"body:has(#only-{verdict}:checked) article:not(.{verdict})" in rendered
        assert f'<article class="{verdict}">' in rendered


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(), min_size=1, max_size=60))
def test_any_text_can_be_shown_in_every_view(records, text):
    for view in VIEWS:
        render([as_hostile(records[0], text)], view, signals={}, width=40).encode("utf-8")


def test_an_unknown_format_is_refused_with_the_known_ones(records):
    with pytest.raises(RegistryError, match="unknown report format 'pdf'; known: text, json"):
        render(records, "pdf")
    with pytest.raises(RegistryError, match="did you mean 'markdown'"):
        render(records, "markdwon")


def test_a_record_that_is_no_scores_record_is_named(records):
    del records[1]["verdict"]
    with pytest.raises(InputError, match="scores:2: field 'verdict'"):
        render(records)


def test_long_messages_and_suggestions_are_shortened(records, signal_notes):
    finding = records[0]["findings"][0] | {"message": "m" * 5000, "suggestion": "s" * 5000}
    record = records[0] | {"findings": [finding]}
    for view in ("markdown", "html"):
        shown = render([record], view, signals=signal_notes)
        assert f"{'m' * 400} ... (5,000 characters)" in shown
        assert f"{'s' * 400} ... (5,000 characters)" in shown


def test_csv_has_no_formulas(records):
    text = "=HYPERLINK(1)"
    rows = render([as_hostile(records[0], text)], "csv", signals={}).splitlines()
    assert rows[1].split(",")[:2] == [f"'{text}", f"'{text}"]


def test_a_report_shows_itself_in_a_notebook(records, signal_notes):
    report = build_report(records, signals=signal_notes)
    frame = report._repr_html_()
    assert frame.startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert frame.count('"') == 8
    assert "4 cases" in repr(report)
