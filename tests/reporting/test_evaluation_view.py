"""The evaluation's tables say what the figures say."""

from __future__ import annotations

import pytest

from clausewise.evaluation import evaluate
from clausewise.reporting import evaluation_text


@pytest.fixture
def many(records):
    """Forty checked cases of two databases, every fifth of which does not run."""
    cases = []
    for place in range(40):
        broken = place % 5 == 4
        cases.append(
            records[1]
            | {
                "question_id": place,
                "db_id": ("shop", "school[red]")[place % 2],
                "p_correct": 0 if broken else place / 40,
                "verdict": "incorrect" if broken or place < 20 else "correct",
                "status": "not_executable" if broken else "ok",
                "reason": "no such table" if broken else None,
                "signals": {"empty_predicate": "fired" if place < 10 else "silent"},
            }
        )
    return cases


def test_every_table_is_there(many):
    labels: dict[str | int, bool] = {place: place >= 16 and place % 5 != 4 for place in range(40)}
    text = evaluation_text(evaluate(many, labels, bootstrap=100))
    assert text.startswith("40 labeled cases, 21 incorrect (52.5%)")
    for words in (
        "All cases",
        "Executable cases only (32)",
        "By database",
        "school[red]",
        "Signals by errors found",
        "length of SQL",
        "count of votes",
        "coverage at 20 % risk",
        "100 bootstrap resamples",
    ):
        assert words in text, words
    line = next(line for line in text.splitlines() if line.startswith(" precision"))
    assert "[" in line
    assert line.split()[-2:] == ["-", "-"]
    assert max(map(len, text.splitlines())) <= 100


def test_undefined_figures_are_dashes_with_a_reason(many):
    text = evaluation_text(evaluate(many[:4], dict.fromkeys(range(4), True), bootstrap=0))
    assert "auc: it needs both correct and incorrect queries" in text
    assert "Every case is executable" in text
    assert "intervals" not in text


def test_what_was_left_out_is_said(many, records):
    evaluation = evaluate([*many, records[3]], {0: True, 1: False, "x": True}, bootstrap=0)
    text = evaluation_text(evaluation)
    assert "left out: 1 unchecked, 38 unlabeled, 1 labels without case" in text


def test_no_case_still_has_a_text():
    assert "0 labeled cases" in evaluation_text(evaluate([], {}))


def test_the_dictionary_gives_the_same_text_and_color_is_asked_for(many):
    evaluation = evaluate(many, {place: place > 20 for place in range(40)}, bootstrap=10)
    text = evaluation_text(evaluation)
    assert evaluation_text(evaluation.to_dict()) == text
    assert "\x1b" not in text
    assert "\x1b[" in evaluation_text(evaluation, color=True)


def test_localization_is_one_sentence(many):
    figures = evaluate(many, {}, bootstrap=0).to_dict()
    figures["localization"] = {
        "n": 8,
        "share": 0.75,
        "interval": [0.4, 0.93],
        "common_kind": "where",
        "common_share": 0.5,
    }
    text = " ".join(evaluation_text(figures).split())
    assert "in 0.750 [0.400, 0.930] of 8 queries; always naming 'where' would in 0.500." in text
