"""The loader of YAML signal fixtures.

A fixture file tests one signal on a small database::

    signal: empty_predicate
    database: |
      CREATE TABLE city (name TEXT);
      INSERT INTO city VALUES ('Dublin');
    cases:
      - name: a value in other letters
        question: How many cities are called Dublin?
        sql: SELECT COUNT(*) FROM city WHERE name = 'dublin'
        expect: fired
        clause: where
        text: name = 'dublin'

A case may have `database` of its own, `evidence`, `candidates`, `count` (how many findings),
`message` (a part of it), `suggestion` (a part of it), `min_score`, `max_score`.

A signal that asks a language model is given `replies`, in the order in which they are asked for:
see `clausewise.testing.replies`. They are served over HTTP to the real client, and all of them
must be used. `llm` sets fields of `LLMSettings`, such as `combined`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clausewise.databases import Database, create_database, open_database
from clausewise.errors import InputError, MissingExtraError
from clausewise.signals import SignalSpec, inspect_case, signals_named
from clausewise.types import Case, Finding, Inspection, Need, Outcome

_CASE_FIELDS = {
    "name", "question", "sql", "expect", "database", "evidence", "candidates", "clause", "text",
    "count", "message", "suggestion", "min_score", "max_score", "replies", "llm",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SignalFixture:
    """One case of a fixture file and what the signal must do with it."""

    path: Path
    signal: str
    name: str
    database: str
    """SQL statements that build the database."""
    case: Case
    expect: str
    """The outcome: `fired`, `silent`, `not_applicable` or `fault`."""
    expected: Mapping[str, Any]
    """The other expectations, by field."""

    def __str__(self) -> str:
        return f"{self.signal}: {self.name}"


def load_fixtures(path: str | Path) -> list[SignalFixture]:
    """Read a fixture file.

    Raises InputError naming the file and the field where the file is not a fixture file, and
    MissingExtraError without PyYAML.
    """
    try:
        import yaml
    except ImportError as error:
        raise MissingExtraError("reading signal fixtures", "testing") from error
    path = Path(path)
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    if not isinstance(content, dict) or not {"signal", "cases"} <= set(content):
        raise InputError("a fixture file needs `signal` and `cases`", path=path)
    return [_fixture(path, content, number, raw) for number, raw in enumerate(content["cases"], 1)]


def _fixture(
    path: Path, content: Mapping[str, Any], number: int, raw: Mapping[str, Any]
) -> SignalFixture:
    unknown = sorted(set(raw) - _CASE_FIELDS)
    if unknown:
        raise InputError(f"case {number}: unknown field", path=path, field=unknown[0])
    missing = sorted({"name", "sql", "expect"} - set(raw))
    if missing:
        raise InputError(f"case {number}: missing", path=path, field=missing[0])
    case = Case(
        question_id=number,
        db_id="fixture",
        question=raw.get("question", ""),
        predicted_sql=raw["sql"],
        evidence=raw.get("evidence"),
        candidates=tuple(raw.get("candidates", ())),
    )
    database = raw.get("database", content.get("database"))
    if database is None:
        raise InputError(f"case {number}: missing", path=path, field="database")
    return SignalFixture(
        path, content["signal"], raw["name"], database, case, raw["expect"], dict(raw)
    )


def run_fixture(fixture: SignalFixture, folder: str | Path) -> Outcome:
    """Build the fixture's database in `folder` and return the signal's outcome.

    Raises InputError where the case's query does not parse or run, or where replies of a model
    are left over: the fixture is then wrong.
    """
    file = create_database(Path(folder) / "fixture.sqlite", fixture.database)
    database = open_database(file, cache_dir=Path(folder) / "cache")
    (spec,) = signals_named([fixture.signal])
    if Need.LLM in spec.needs:
        inspection = _asked(fixture, database, spec, Path(folder))
    else:
        inspection = inspect_case(fixture.case, database, [spec])
    outcome = inspection.outcomes[fixture.signal]
    if not outcome.answered and inspection.reason is not None and fixture.expect == "fired":
        raise InputError(f"case '{fixture.name}': {inspection.reason}", path=fixture.path)
    return outcome


def _asked(
    fixture: SignalFixture, database: Database, spec: SignalSpec, folder: Path
) -> Inspection:
    """Inspect the case with a model that gives the fixture's replies."""
    from clausewise.testing.replies import RecordedReplies, scripted_model

    replies = RecordedReplies(fixture.expected.get("replies", ()))
    with scripted_model(replies, folder, **fixture.expected.get("llm", {})) as llm:
        inspection = inspect_case(fixture.case, database, [spec], llm.for_case("fixture"))
    if replies.left:
        raise InputError(
            f"case '{fixture.name}': {replies.left} of its replies were not asked for",
            path=fixture.path,
        )
    return inspection


def check_fixture(fixture: SignalFixture, folder: str | Path) -> None:
    """Run a fixture and compare it with what it expects.

    Raises AssertionError that shows what came out instead.
    """
    outcome = run_fixture(fixture, folder)
    shown = f"{fixture}: {outcome.status.value} {outcome.reason or ''} {outcome.findings}"
    assert outcome.status.value == fixture.expect, f"expected {fixture.expect}; {shown}"
    for finding in outcome.findings:
        start, end = finding.clause.start, finding.clause.end
        assert fixture.case.predicted_sql[start:end] == finding.clause.text, shown
    if fixture.expect == "fired":
        assert any(_matches(finding, fixture.expected) for finding in outcome.findings), shown
    count = fixture.expected.get("count")
    assert count is None or count == len(outcome.findings), f"expected {count} findings; {shown}"


def _matches(finding: Finding, expected: Mapping[str, Any]) -> bool:
    checks: Sequence[bool] = (
        expected.get("clause", finding.clause.kind.value) == finding.clause.kind.value,
        expected.get("text", finding.clause.text) == finding.clause.text,
        expected.get("message", "") in finding.message,
        expected.get("suggestion", "") in (finding.suggestion or ""),
        expected.get("min_score", 0.0) <= finding.score <= expected.get("max_score", 1.0),
    )
    return all(checks)
