"""`clausewise audit`: annotated queries that are likely wrong, each with a category."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clausewise.cli.common import (
    ExitCode,
    QuietOption,
    notify,
    open_databases,
    progress_hook,
)
from clausewise.cli.decision_options import ConventionsOption
from clausewise.cli.exit_options import ExitZeroOption
from clausewise.cli.isolation_options import CaseLimitOption, InProcessOption, isolation_of
from clausewise.cli.output_options import check_results_file, format_of, refuse_overwriting
from clausewise.cli.resuming import write_run
from clausewise.cli.streams import echo, for_output
from clausewise.errors import InputError
from clausewise.types import Strictness
from clausewise.writing import is_stream, write_text, writing_text

if TYPE_CHECKING:
    from clausewise.auditing.decisions import MarkedDecision
    from clausewise.auditing.report import AuditReport, AuditSummary
    from clausewise.databases import Databases
    from clausewise.models import Detector
    from clausewise.models.streaming import Progress
    from clausewise.types import Case, UncheckedCase

AUDIT_SUFFIXES = {
    ".html": "html",
    ".htm": "html",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".txt": "text",
}
"""Suffix of an audit to its format."""
_LABEL = "auditing"
"""What the progress bar says."""


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(audit)


def audit(
    cases: Annotated[
        Path, typer.Argument(help="Questions with their gold queries: Spider, BIRD, JSONL, CSV.")
    ],
    databases: Annotated[
        Path | None, typer.Option(help="A folder of <db_id>/<db_id>.sqlite.")
    ] = None,
    db: Annotated[str | None, typer.Option(help="One database for all cases.")] = None,
    out: Annotated[Path | None, typer.Option(help="Where to write; standard output else.")] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            help="html, csv, jsonl or text; else the suffix of --out decides, and text where "
            "there is none.",
        ),
    ] = None,
    top: Annotated[
        int | None, typer.Option(help="Show this many, the most suspicious first.", min=1)
    ] = None,
    decisions: Annotated[
        Path | None,
        typer.Option(help="A marked CSV of an earlier audit: the cases in it are left out."),
    ] = None,
    labels: Annotated[
        Path | None, typer.Option(help="Write the decisions as a labels file, JSONL.")
    ] = None,
    detector: Annotated[
        Path | None, typer.Option(help="A folder written by `fit`; else the packaged detector.")
    ] = None,
    trust_detector: Annotated[
        bool, typer.Option("--trust-detector", help="Load pickled models made elsewhere.")
    ] = False,
    conventions: ConventionsOption = None,
    jobs: Annotated[int, typer.Option(help="Processes.", min=1)] = 1,
    case_limit: CaseLimitOption = None,
    in_process: InProcessOption = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue a run that was killed.")
    ] = False,
    exit_zero: ExitZeroOption = False,
    _quiet: QuietOption = False,
) -> ExitCode:
    """Rank annotated queries by how likely they are wrong, with the category of the fault.

    Exit code 0: nothing is flagged; 1: something is; 2: usage or input error; 3: some cases could
    not be checked.
    """
    from clausewise import runs
    from clausewise.api import load_detector
    from clausewise.auditing.views import AUDIT_FORMATS
    from clausewise.datasets import read_gold_cases
    from clausewise.models.registries import packaged_folder

    files = {"CASES": cases, "--decisions": decisions}
    inputs = {**files, "--databases": databases, "--db": db, "--detector": detector}
    check_results_file(out, resume, files)
    file_format = format_of(out, output, AUDIT_SUFFIXES, "text")
    view = AUDIT_FORMATS[file_format]  # an unknown one is refused before the work
    refuse_overwriting(out, inputs, beside=runs.SUFFIXES)
    refuse_overwriting(labels, inputs)
    isolation = isolation_of(case_limit, in_process)
    if detector is None and conventions is None:  # a gold query is to be exact
        conventions = Strictness.STRICT
    folder = detector or packaged_folder(conventions=conventions or Strictness.RELAXED)
    known = runs.contents({**files, "--detector": folder})
    read = _left(read_gold_cases(cases), decisions, labels)
    loaded = load_detector(detector, trust_detector, conventions=conventions)
    loaded.set_params(jobs=jobs, isolation=isolation)
    opened = open_databases(databases, db)
    about = runs.fingerprint(known, read, opened, _settings(loaded, file_format, top))
    made = _Audit(loaded, read, opened, top, view, resume)
    if out is None or is_stream(out):
        summary = made.to_stream(out, file_format)
    else:
        summary = made.to_file(out, about)
    notify(summary.line + (f"; written to {out}" if out else ""))
    return _exit_code(summary, exit_zero)


class _Audit:
    """One run of the command: what is audited, and how it is shown."""

    def __init__(
        self,
        detector: Detector,
        cases: list[Case | UncheckedCase],
        databases: Databases,
        top: int | None,
        view: Callable[[AuditReport], Iterator[str]],
        resume: bool,
    ) -> None:
        self._detector = detector
        self._cases = cases
        self._databases = databases
        self._top = top
        self._view = view
        self._resume = resume

    def to_file(self, out: Path, about: str) -> AuditSummary:
        """Write the audit to a file, resumably; return what it comes to."""
        from clausewise.auditing.report import AuditSummary
        from clausewise.runs import Run

        with Run(out, about, count=AuditSummary().add) as run:
            write_run(run, self._records, len(self._cases), self._resume, _LABEL)
            report = self._report(run.partial)
            run.finish(lambda _lines: _as_lines(self._view(report)))
        return report.summary

    def to_stream(self, out: Path | None, file_format: str) -> AuditSummary:
        """Write the audit to standard output, a device or a pipe; return what it comes to."""
        from clausewise.datasets import dump_line

        with ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="clausewise-"))
            lines = Path(folder) / "audit.jsonl"
            with (
                lines.open("w", encoding="utf-8", newline="\n") as file,
                progress_hook(_LABEL) as hook,
            ):
                file.writelines(f"{dump_line(record)}\n" for record in self._records(0, hook))
            report = self._report(lines)
            if out is None:
                for piece in self._view(report):
                    echo(for_output(piece, file_format), end="")
            else:
                stack.enter_context(writing_text(out)).writelines(self._view(report))
        return report.summary

    def _report(self, path: Path) -> AuditReport:
        from clausewise.auditing.report import AuditReport

        return AuditReport(path, self._top)

    def _records(self, done: int, progress: Progress) -> Iterator[Mapping[str, Any]]:
        from clausewise.auditing import iter_audits

        scored = self._detector.iter_scores(
            self._cases, self._databases, start=done, progress=progress
        )
        audited = iter_audits(scored, self._databases, isolation=self._detector.isolation)
        yield from (case.to_dict() for case in audited)


def _left(
    cases: list[Case | UncheckedCase], decisions: Path | None, labels: Path | None
) -> list[Case | UncheckedCase]:
    """Return the cases without those that are decided; write the decisions as labels.

    Raises InputError where the decisions cannot be read, or there are labels to write and none.
    """
    if decisions is None:
        if labels is not None:
            raise InputError("needs --decisions: labels are made of them", field="--labels")
        return cases
    from clausewise.auditing.decisions import labels_of, read_decisions, undecided
    from clausewise.datasets import dump_line

    decided = read_decisions(decisions)
    left = undecided(cases, decided)
    notify(_said(decided, len(cases) - len(left)))
    if labels is not None:
        lines = [dump_line(label) for label in labels_of(decided.values())]
        write_text(labels, "".join(f"{line}\n" for line in lines))
        notify(f"{len(lines)} labels written to {labels}")
    return left


def _said(decided: Mapping[str, MarkedDecision], left_out: int) -> str:
    from collections import Counter

    from clausewise.auditing.decisions import AuditDecision

    counts = Counter(one.decision for one in decided.values())
    listed = ", ".join(f"{counts[of]} {of.value}" for of in AuditDecision if counts[of]) or "none"
    message = f"decisions: {listed}; {left_out} cases are left out"
    unknown = len(decided) - left_out
    return f"{message}, {unknown} are on no case" if unknown else message


def _settings(detector: Detector, file_format: str, top: int | None) -> dict[str, str]:
    """Return every option that changes the result, in words that are the same in every process."""
    return {
        "signals": " ".join(f"{spec.name}:{spec.version}" for spec in detector.specs()),
        "limits": str(detector.isolation),
        "format": f"{file_format} {top}",
    }


def _as_lines(pieces: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a text that comes in pieces, without their line feeds."""
    held: list[str] = []
    for piece in pieces:
        *whole, rest = piece.split("\n")
        for line in whole:
            yield "".join([*held, line])
            held = []
        held.append(rest)
    if any(held):
        yield "".join(held)


def _exit_code(summary: AuditSummary, exit_zero: bool) -> ExitCode:
    """Return the exit code: a case that was not checked weighs more than a flagged one."""
    from clausewise.audited_case import AuditStatus

    if exit_zero:
        return ExitCode.NOTHING_FOUND
    if summary.statuses[AuditStatus.UNCHECKED]:
        return ExitCode.SOME_UNCHECKED
    return ExitCode.FOUND if summary.statuses[AuditStatus.FLAGGED] else ExitCode.NOTHING_FOUND
