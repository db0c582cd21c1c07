"""Evaluating an iterator: the same figures, and memory that hardly grows with the cases."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

from clausewise.errors import InputError
from clausewise.evaluation import evaluate
from clausewise.evaluation.measuring import Sample
from clausewise.evaluation.reliability import answered_cases

MOST_PER_CASE = 1_000
"""Bytes that an evaluation may take for each further case, labels and golds not counted."""
PADDING = 20_000
"""Characters of a case that no figure needs."""


@pytest.fixture
def records(make_record, make_finding):
    """Return a generator of records: five statuses and verdicts in turn, of three databases."""

    def build(number):
        for place in range(number):
            fields = [
                {"findings": [make_finding("where")], "signals": {"a": "fired", "b": "silent"}},
                {"abstained": True, "signals": {"b": "fault"}},
                {"status": "unparsable", "verdict": "incorrect"},
                {"p_correct": None, "verdict": "unchecked", "status": "unchecked"},
                {"p_correct": 0.9, "verdict": "correct", "signals": {"a": "not_applicable"}},
            ][place % 5]
            common = {"db_id": f"db{place % 3}", "padding": "x" * PADDING}
            yield make_record(place, 0.1 + place % 7 / 10) | common | fields

    return build


def labels_of(number):
    return {place: place % 2 == 0 for place in range(number) if place % 11}


def gold_of(number):
    return dict.fromkeys(range(number), "SELECT 1 FROM t WHERE a = 1")


def test_an_iterator_gives_the_figures_of_a_list(records):
    labels, gold = labels_of(60), gold_of(60)
    held = evaluate(list(records(60)), labels, gold, bootstrap=20)
    assert evaluate(records(60), labels, gold, bootstrap=20) == held
    assert held.localization is not None
    assert held.localization.n > 0


@pytest.mark.parametrize("gold", [None, gold_of(600)], ids=["no gold", "gold"])
def test_memory_does_not_grow_with_what_a_case_holds(records, gold):
    def peak(number):
        labels = labels_of(number)
        tracemalloc.start()
        try:
            evaluate(records(number), labels, gold, bootstrap=2)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(20)  # what is imported once
    assert (peak(600) - peak(200)) / 400 < MOST_PER_CASE


def test_resamples_are_not_held():
    half = np.arange(2_000) % 2 == 0
    sample = Sample(half, np.full(2_000, 0.5), half, probability=True)

    def peak(bootstrap):
        tracemalloc.start()
        try:
            answered_cases(sample, half, bootstrap=bootstrap)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(2)
    # Held, 400 resamples of 2,000 cases would be 6.4 MB more.
    assert peak(800) - peak(400) < 1_000_000


def test_a_line_that_cannot_be_read_is_reported_before_ids_that_repeat(make_record):
    scores = [make_record(1), make_record(1), make_record(2) | {"p_correct": 2}]
    with pytest.raises(InputError, match="scores:3: field 'p_correct'"):
        evaluate(scores, {1: True})
    with pytest.raises(InputError, match="scores:3: field 'p_correct'"):
        evaluate(scores, {1: "yes"})  # type: ignore[dict-item]
    with pytest.raises(InputError, match="labels: field 'correct'"):
        evaluate(scores[:2], {1: "yes"})  # type: ignore[dict-item]


def test_evaluating_does_not_import_the_statistics_of_scipy():
    code = (
        "import sys; from clausewise.evaluation import evaluate;"
        "evaluate([{'question_id': 1, 'db_id': 'a', 'predicted_sql': 'SELECT 1', 'p_correct': 0.5,"
        "'verdict': 'correct', 'status': 'ok', 'findings': [], 'signals': {'s': 'fired'}}],"
        "{1: True}, {1: 'SELECT 1'}, bootstrap=2); print('scipy.stats' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
