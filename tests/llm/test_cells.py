"""With `send_values=False` no cell of the database leaves, and none is written down."""

import logging

import pytest

from clausewise.databases import Databases, create_database
from clausewise.llm import LLM, LLMSettings
from clausewise.signals import iter_inspections, load_signals, select_signals
from clausewise.testing import Reply, ScriptedEndpoint, fitting
from clausewise.types import Case, OutcomeStatus

CELL = "Zebrafish Distinctive"
CASE = Case(
    question_id="q1",
    db_id="zoo",
    question="What is the name of the oldest animal?",
    evidence="oldest refers to the greatest age",
    predicted_sql="SELECT name FROM animals ORDER BY age DESC LIMIT 1",
)


def _everything_said(values, tmp_path, caplog):
    """Return what was sent, what was logged and kept, and what the signals report."""
    load_signals()
    folder = tmp_path / "databases"
    (folder / "zoo").mkdir(parents=True)
    create_database(
        folder / "zoo" / "zoo.sqlite",
        "CREATE TABLE animals (id INTEGER PRIMARY KEY, name TEXT, age INTEGER);"
        f"INSERT INTO animals VALUES (1, '{CELL}', 9), (2, 'Ant', 1), (3, 'Bee', 2);",
    )
    specs = select_signals("sqlens-llm", models=True)
    caplog.set_level(logging.DEBUG)
    with ScriptedEndpoint(lambda request: Reply(fitting(request))) as endpoint:
        settings = LLMSettings(
            "scripted",
            base_url=endpoint.url,
            cache_folder=tmp_path / "answers",
            send_values=values,
            prepare=frozenset({"documentation", "rewriting"}),
        )
        with LLM(settings) as llm:
            (item,) = iter_inspections([CASE], Databases(folder), specs, 1, llm)
        sent = str(endpoint.requests)
    statuses = {name: outcome.status for name, outcome in item.outcomes.items()}
    # Rows cannot be reviewed without being sent.
    assert OutcomeStatus.FAULT not in statuses.values(), item.outcomes
    unasked = [name for name, one in statuses.items() if one is OutcomeStatus.NOT_APPLICABLE]
    assert unasked == ([] if values else ["result_review"])
    files = [path for path in (tmp_path / "answers").rglob("*") if path.is_file()]
    kept = b"".join(path.read_bytes() for path in files).decode("latin-1")
    return sent, caplog.text + kept + str(item.outcomes)


def test_no_cell_leaves_where_none_may(tmp_path, caplog):
    sent, written = _everything_said(False, tmp_path, caplog)
    assert "animals" in sent
    assert CELL not in sent
    assert CELL not in written


def test_cells_are_sent_where_they_may(tmp_path, caplog):
    sent, _ = _everything_said(True, tmp_path, caplog)
    assert CELL in sent, "or the test above says nothing"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUSEWISE_CACHE_DIR", str(tmp_path / "caches"))
