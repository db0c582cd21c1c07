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

A case that fires lists its findings exactly: each finding that comes out must be named, each one
named must come out, in any order. `clause` and `text` in the case itself mean exactly one finding;
several stand in a list::

        findings:
          - clause: having
            text: city
          - clause: having
            text: price
            level: info
            count: 2

A finding has `clause` (its kind) and `text` (the marked text); it may have `reason`, `level`,
`message` and `suggestion` (each a part of it), and `count`, for findings that look the same.
A case may have `database` of its own, `evidence` and `candidates`.

A signal that asks a language model is given `replies`, in the order in which they are asked for:
see `clausewise.testing.replies`. They are served over HTTP to the real client, and all of them
must be used. `llm` sets fields of `LLMSettings`, such as `combined`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from clausewise.databases import DatabaseProtocol, create_database, open_database
from clausewise.errors import InputError, MissingExtraError
from clausewise.signals import SignalSpec, inspect_case, signals_named
from clausewise.types import Case, Clause, Finding, Inspection, Level, Need, Outcome, OutcomeStatus

_FINDING_FIELDS = {"clause", "text", "reason", "level", "message", "suggestion", "count"}
_CASE_FIELDS = {
    "name", "question", "sql", "expect", "database", "evidence", "candidates", "findings",
    "replies", "llm",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ExpectedFinding:
    """What a fixture says of one finding; None where it says nothing."""

    clause: Clause
    text: str
    reason: str | None = None
    level: Level | None = None
    message: str | None = None
    """A part of the message."""
    suggestion: str | None = None
    """A part of the suggestion."""

    def matches(self, finding: Finding) -> bool:
        """Whether a finding is as expected."""
        return (
            finding.clause.kind is self.clause
            and finding.clause.text == self.text
            and self.reason in (None, finding.reason)
            and self.level in (None, finding.level)
            and (self.message or "") in finding.message
            and (self.suggestion or "") in (finding.suggestion or "")
        )

    def __str__(self) -> str:
        return _shown(
            self.clause, self.text, self.level, self.reason, self.message, self.suggestion
        )


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
    findings: tuple[ExpectedFinding, ...] = ()
    """What is expected to be found: all of it, and nothing else."""
    replies: Sequence[str | Mapping[str, Any]] = ()
    """Recorded replies of the language model."""
    llm: Mapping[str, Any] = field(default_factory=dict)
    """Fields of `LLMSettings`."""

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
    where = f"case {number}"
    _check_fields(path, where, raw, _CASE_FIELDS | _FINDING_FIELDS, {"name", "sql", "expect"})
    case = Case(
        question_id=number,
        db_id="fixture",
        question=raw.get("question", ""),
        predicted_sql=raw["sql"],
        evidence=raw.get("evidence"),
        candidates=raw.get("candidates", ()),
    )
    database = raw.get("database", content.get("database"))
    if database is None:
        raise InputError(f"{where}: missing", path=path, field="database")
    if raw["expect"] not in set(OutcomeStatus):
        raise InputError(f"{where}: no outcome: {raw['expect']!r}", path=path, field="expect")
    return SignalFixture(
        path=path,
        signal=content["signal"],
        name=raw["name"],
        database=database,
        case=case,
        expect=raw["expect"],
        findings=_expected_findings(path, where, raw),
        replies=tuple(raw.get("replies", ())),
        llm=raw.get("llm", {}),
    )


def _check_fields(
    path: Path, where: str, raw: Mapping[str, Any], known: set[str], required: set[str]
) -> None:
    for message, fields in (("unknown field", set(raw) - known), ("missing", required - set(raw))):
        if fields:
            raise InputError(f"{where}: {message}", path=path, field=min(fields))


def _expected_findings(
    path: Path, where: str, raw: Mapping[str, Any]
) -> tuple[ExpectedFinding, ...]:
    """Return the findings that a case names, in its list or, where there is one, in the case."""
    single = {name: raw[name] for name in raw if name in _FINDING_FIELDS}
    if raw["expect"] != "fired":
        if named := sorted({*single, *({"findings"} & set(raw))}):
            raise InputError(f"{where}: only a case that fires has it", path=path, field=named[0])
        return ()
    if "findings" not in raw:
        _check_fields(path, where, single, _FINDING_FIELDS, {"clause", "text"})
        return _expected(path, where, single)
    if single:
        raise InputError(f"{where}: it belongs into `findings`", path=path, field=min(single))
    if not raw["findings"]:
        raise InputError(f"{where}: a case that fires has one", path=path, field="findings")
    return tuple(
        expected
        for number, entry in enumerate(raw["findings"], 1)
        for expected in _expected(path, f"{where}, finding {number}", entry)
    )


def _expected(path: Path, where: str, entry: Mapping[str, Any]) -> tuple[ExpectedFinding, ...]:
    """Return one expected finding, as often as its `count` says."""
    _check_fields(path, where, entry, _FINDING_FIELDS, {"clause", "text"})
    for name, kinds in (("clause", Clause), ("level", Level)):
        if name in entry and entry[name] not in set(kinds):
            raise InputError(f"{where}: unknown: {entry[name]!r}", path=path, field=name)
    count = entry.get("count", 1)
    if not isinstance(count, int) or count < 1:
        raise InputError(f"{where}: not a whole number from 1", path=path, field="count")
    expected = ExpectedFinding(
        clause=Clause(entry["clause"]),
        text=str(entry["text"]),
        reason=entry.get("reason"),
        level=Level(entry["level"]) if "level" in entry else None,
        message=entry.get("message"),
        suggestion=entry.get("suggestion"),
    )
    return (expected,) * count


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
    fixture: SignalFixture, database: DatabaseProtocol, spec: SignalSpec, folder: Path
) -> Inspection:
    """Inspect the case with a model that gives the fixture's replies."""
    from clausewise.testing.replies import RecordedReplies, scripted_model

    replies = RecordedReplies(fixture.replies)
    with scripted_model(replies, folder, **fixture.llm) as llm:
        inspection = inspect_case(fixture.case, database, [spec], llm.for_case("fixture"))
    if replies.left:
        raise InputError(
            f"case '{fixture.name}': {replies.left} of its replies were not asked for",
            path=fixture.path,
        )
    return inspection


def check_fixture(fixture: SignalFixture, folder: str | Path) -> None:
    """Run a fixture and compare it with what it expects.

    Raises AssertionError that shows what was expected and did not come, and what came instead.
    """
    outcome = run_fixture(fixture, folder)
    found = [f"  {_shown_finding(finding)}" for finding in outcome.findings]
    shown = "\n".join([f"{fixture}: {outcome.status.value} {outcome.reason or ''}", *found])
    assert outcome.status.value == fixture.expect, f"expected {fixture.expect}; {shown}"
    for finding in outcome.findings:
        start, end = finding.clause.start, finding.clause.end
        assert fixture.case.predicted_sql[start:end] == finding.clause.text, shown
    missing, unnamed = _unmatched(fixture.findings, outcome.findings)
    if missing or unnamed:
        raise AssertionError("\n".join([f"{fixture}", *_difference(missing, unnamed)]))


def _unmatched(
    expected: Sequence[ExpectedFinding], findings: Sequence[Finding]
) -> tuple[list[ExpectedFinding], list[Finding]]:
    """Match expected and actual findings one to one; return what is left over of both."""
    fits = np.array([[one.matches(finding) for finding in findings] for one in expected])
    pairs = np.transpose(linear_sum_assignment(fits, maximize=True)) if fits.size else ()
    matched = [(row, column) for row, column in pairs if fits[row, column]]
    rows, columns = ({pair[side] for pair in matched} for side in (0, 1))
    return (
        [one for row, one in enumerate(expected) if row not in rows],
        [finding for column, finding in enumerate(findings) if column not in columns],
    )


def _difference(missing: Sequence[ExpectedFinding], unnamed: Sequence[Finding]) -> list[str]:
    """Return the lines that say what did not come and what the fixture does not name."""
    lines = []
    for title, items in (
        ("expected, but not found:", Counter(str(one) for one in missing)),
        ("found, but not named by the fixture:", Counter(map(_shown_finding, unnamed))),
    ):
        if items:
            lines.append(title)
        for item, count in items.items():
            lines.append(f"  {item}" + (f" ({count} times)" if count > 1 else ""))
    return lines


def _shown_finding(finding: Finding) -> str:
    reason = finding.reason or None
    clause = finding.clause
    return _shown(
        clause.kind, clause.text, finding.level, reason, finding.message, finding.suggestion
    )


def _shown(
    clause: Clause,
    text: str,
    level: Level | None,
    reason: str | None,
    message: str | None,
    suggestion: str | None,
) -> str:
    """Return one line on a finding, in the fields of a fixture."""
    parts = {"level": level, "reason": reason, "message": message, "suggestion": suggestion}
    named = [f"{name}: {value!s}" for name, value in parts.items() if value is not None]
    return " | ".join([f"{clause.value}: {text!r}", *named])
