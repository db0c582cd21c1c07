"""The report as SARIF 2.1.0, for code-scanning tools."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from clausewise.reporting.contents import ReportContents, ReportedCase
from clausewise.reporting.json_view import filled_json
from clausewise.reporting.passing import passing_message
from clausewise.text import plain_json, visible
from clausewise.types import ClauseSpan, Finding, Level, ScoredCase, Verdict

SARIF_VERSION = "2.1.0"
SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Level.INFO: "note", Level.WARNING: "warning", Level.ERROR: "error"}


def sarif_view(report: ReportContents) -> Iterator[str]:
    """Yield the report as a SARIF log with one run.

    Every query is an artifact with its text; every finding is a result at its characters,
    `rank` (0 to 100) being the finding's score. Unchecked cases are notifications: they are no
    results, and not nothing.
    """
    rules: dict[str, dict[str, Any]] = {}
    for place, case in enumerate(report.scored()):
        if any(_rule_id(finding) not in rules for finding in case.findings):
            _add_rules(rules, report.cases[place])
    places = {rule_id: place for place, rule_id in enumerate(rules)}
    unchecked = [
        place
        for place, digest in enumerate(report.digests())
        if digest.verdict is Verdict.UNCHECKED
    ]
    log, lists = _log(report, list(rules.values())), []
    if unchecked:
        log["runs"][0]["invocations"][0]["toolExecutionNotifications"] = []
        lists.append(_notification(report.cases[place], place) for place in unchecked)
    lists.append(_artifact(case, place) for place, case in enumerate(report.scored()))
    lists.append(
        _result(case, finding, places, place)
        for place, case in enumerate(report.scored())
        for finding in case.findings
    )
    return filled_json(log, *lists)


def _log(report: ReportContents, rules: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the log without notifications, artifacts and results."""
    generator = report.generator
    driver = {"name": generator.name, "version": generator.version, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True}],
        "artifacts": [],
        "results": [],
    }
    return {"$schema": SARIF_SCHEMA, "version": SARIF_VERSION, "runs": [run]}


def _uri(case: ScoredCase, place: int) -> str:
    """Return a relative address that is the case's own, even where ids repeat or are missing."""
    question_id = "unknown" if case.question_id is None else case.question_id
    parts = (case.db_id or "unknown", place + 1, question_id)
    return "queries/{}/{}-{}.sql".format(*(_path_part(part) for part in parts))


def _path_part(value: object) -> str:
    return quote(visible(str(value)), safe="").replace(".", "%2E")


def _artifact(case: ScoredCase, place: int) -> dict[str, Any]:
    return {
        "location": {"uri": _uri(case, place)},
        "sourceLanguage": "sql",
        "contents": {"text": _same_length(case.predicted_sql or "")},
        "properties": {
            "question_id": case.question_id,
            "db_id": case.db_id,
            "p_correct": _p_correct(case),
            "verdict": case.verdict.value,
            "status": case.status.value,
            "threshold": None if case.threshold is None else round(case.threshold, 6),
            "abstained": case.abstained,
            "explanation": None if case.explanation is None else case.explanation.to_dict(),
        },
    }


def _p_correct(case: ScoredCase) -> float | None:
    """Return the probability as it stands in a scores file."""
    return None if case.p_correct is None else round(case.p_correct, 6)


def _same_length(text: str) -> str:
    """Replace lone surrogates, which no file can hold, and keep every offset."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def _add_rules(rules: dict[str, dict[str, Any]], case: ReportedCase) -> None:
    """Add a rule for every finding of the case; `rules` is by rule id, in order of appearance."""
    for finding in case.findings:
        if _rule_id(finding) in rules:
            continue
        signal = finding.signal
        # A notice has nothing to correct.
        note = next((entry for entry in case.error_report if entry.signal == signal), None)
        rules[_rule_id(finding)] = {
            "id": _rule_id(finding),
            "name": signal,
            "shortDescription": {"text": (note and note.signal_description) or signal},
            "help": {"text": (note and note.correction_instruction) or signal},
        }


def _rule_id(finding: Finding) -> str:
    return finding.code or finding.signal


def _result(
    case: ScoredCase, finding: Finding, rules: Mapping[str, int], place: int
) -> dict[str, Any]:
    """Return the result of a finding; `rules` has the place of each rule by its id."""
    clause = finding.clause
    message = passing_message(finding)
    if finding.suggestion:
        message = f"{message} Try: {finding.suggestion}"
    return {
        "ruleId": _rule_id(finding),
        "ruleIndex": rules[_rule_id(finding)],
        "level": _LEVELS[finding.level],
        "message": {"text": visible(message)},
        "rank": round(100 * finding.score, 2),
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(case, place), "index": place},
                    "region": _region(case.predicted_sql or "", clause),
                }
            }
        ],
        "properties": {
            "clause": clause.kind.value,
            "evidence": plain_json(finding.evidence),
            "p_correct": _p_correct(case),
            "contribution": finding.contribution,
            "reason": finding.reason,
        },
    }


def _region(sql: str, clause: ClauseSpan) -> dict[str, Any]:
    """Return the clause's place by offset and, for tools that want it, by line and column."""
    start, end = clause.start, clause.end
    return {
        "startLine": sql.count("\n", 0, start) + 1,
        "startColumn": start - sql.rfind("\n", 0, start),
        "endLine": sql.count("\n", 0, end) + 1,
        "endColumn": end - sql.rfind("\n", 0, end),
        "charOffset": start,
        "charLength": end - start,
        "snippet": {"text": _same_length(clause.text)},
    }


def _notification(case: ScoredCase, place: int) -> dict[str, Any]:
    artifact = {"uri": _uri(case, place), "index": place}
    return {
        "level": "warning",
        "message": {"text": f"not checked: {visible(str(case.reason))}"},
        "locations": [{"physicalLocation": {"artifactLocation": artifact}}],
    }
