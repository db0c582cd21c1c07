"""`clausewise score`: a probability and findings for every case of a file."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clausewise._version import __version__
from clausewise.cli import decision_options
from clausewise.cli.common import ExitCode, QuietOption, exit_code, notify, open_databases, progress
from clausewise.cli.model_options import (
    ModelOptions,
    ShareOption,
    When,
    WhenOption,
    refuse_lone_options,
    with_model_options,
)
from clausewise.cli.output_options import TableFormat, refuse_overwriting, scores_format
from clausewise.errors import DatabaseError, InputError
from clausewise.types import Case, ScoredCase, UncheckedCase, Verdict

if TYPE_CHECKING:
    from clausewise.databases import Databases

RUN_SUFFIXES = (".partial", ".partial.run", ".whole")
"""What is appended to the name of a scores file for the files of an unfinished run."""

BATCH = 256
"""Cases that are scored and written at a time."""


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(with_model_options(score))


def score(
    cases: Annotated[Path, typer.Argument(help="Cases: JSONL, CSV, Parquet, Spider, BIRD.")],
    databases: Annotated[
        Path | None, typer.Option(help="A folder of <db_id>/<db_id>.sqlite.")
    ] = None,
    db: Annotated[str | None, typer.Option(help="One database for all cases.")] = None,
    out: Annotated[Path | None, typer.Option(help="Where to write; standard output else.")] = None,
    output: Annotated[
        TableFormat | None,
        typer.Option("--format", "-f", help="Else the suffix of --out decides, or it is jsonl."),
    ] = None,
    questions: Annotated[
        Path | None, typer.Option(help="Spider's or BIRD's questions for predictions in CASES.")
    ] = None,
    detector: Annotated[
        Path | None, typer.Option(help="A folder written by `fit`; else the packaged detector.")
    ] = None,
    trust_detector: Annotated[
        bool, typer.Option("--trust-detector", help="Load pickled models made elsewhere.")
    ] = False,
    votes: Annotated[Path | None, typer.Option(help="Votes from outside, JSONL.")] = None,
    threshold: decision_options.Threshold = None,
    cost_of_miss: decision_options.CostOfMiss = None,
    cost_of_false_alarm: decision_options.CostOfFalseAlarm = None,
    abstain: decision_options.Abstain = None,
    max_risk: decision_options.MaxRisk = None,
    jobs: Annotated[int, typer.Option(help="Processes.", min=1)] = 1,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where a killed run stopped.")
    ] = False,
    llm_when: WhenOption = When.ALL,
    llm_share: ShareOption = None,
    _quiet: QuietOption = False,
    *,
    model: ModelOptions,
) -> ExitCode:
    """Score every case; one output line for every input case, in order."""
    from clausewise.api import load_detector
    from clausewise.datasets import read_cases, read_votes
    from clausewise.labeling import OutsideVotes
    from clausewise.models.streaming import iter_scores

    if resume and out is None:
        raise InputError("needs --out: only a file can be gone on with", field="--resume")
    file_format = scores_format(out, output)
    inputs = {"CASES": cases, "--databases": databases, "--db": db, "--questions": questions}
    inputs |= {"--detector": detector, "--votes": votes}
    refuse_overwriting(out, inputs, beside=RUN_SUFFIXES)
    refuse_lone_options(model, llm_when, llm_share)
    how = decision_options.decision(threshold, cost_of_miss, cost_of_false_alarm, abstain, max_risk)
    loaded = load_detector(detector, trust=trust_detector)
    read = read_cases(cases, questions=questions)
    outside = [] if votes is None else read_votes(votes)
    opened = open_databases(databases, db)
    OutsideVotes(outside).warn_of_unknown(
        case.question_id for case in read if isinstance(case, Case)
    )
    with model.opened() as loaded.llm:
        scores = partial(
            iter_scores,
            read,
            opened,
            loaded,
            votes=outside,
            rule=how.rule,
            jobs=jobs,
            doubtful=llm_when is When.DOUBTFUL,
            share=llm_share,
            tell=notify,
        )
        if out is None:
            verdicts = []
            for line in how.marked(_line(case) for case in scores()):
                typer.echo(line)
                verdicts.append(Verdict(json.loads(line)["verdict"]))
        else:
            read_files = [path for path in (cases, questions, votes) if path is not None]
            asked = f"{model.settings()} {llm_when.value} {llm_share}"
            fingerprint = _fingerprint(read_files, detector, f"{how.text} {asked}", read, opened)
            run = Run(out, fingerprint, how, file_format)
            verdicts = run.write(lambda done: scores(start=done), len(read), resume)
    _tell(verdicts, out)
    return exit_code(verdicts)


def _line(scored: ScoredCase) -> str:
    from clausewise.datasets import dump_line

    return dump_line(scored.to_dict())


def _tell(verdicts: list[Verdict], out: Path | None) -> None:
    counts = {verdict: verdicts.count(verdict) for verdict in Verdict}
    parts = ", ".join(f"{count} {verdict.value}" for verdict, count in counts.items() if count)
    notify(f"{len(verdicts)} cases: {parts}" + (f"; written to {out}" if out else ""))


def _fingerprint(
    inputs: list[Path],
    detector: Path | None,
    settings: str,
    cases: list[Case | UncheckedCase],
    databases: Databases,
) -> str:
    """Return what must be the same for a run to be gone on with."""
    parts = {str(path.name): hashlib.sha256(path.read_bytes()).hexdigest() for path in inputs}
    manifest = None if detector is None else detector / "manifest.json"
    parts["detector"] = (
        "packaged" if manifest is None else hashlib.sha256(manifest.read_bytes()).hexdigest()
    )
    parts["decision"] = settings
    parts["version"] = __version__
    for name in sorted({case.db_id for case in cases if isinstance(case, Case)}):
        try:
            parts[f"database {name}"] = databases.get(name).content_key
        except DatabaseError as error:
            parts[f"database {name}"] = str(error)
    return json.dumps(parts, sort_keys=True)


class Run:
    """A scores file in the making: `OUT.partial` beside `OUT.partial.run`, which says of what.

    Whole lines reach the disk in order; `OUT` appears only when all are there.
    """

    def __init__(
        self,
        out: Path,
        fingerprint: str,
        how: decision_options.Decision,
        file_format: str = "jsonl",
    ) -> None:
        self.out = out
        self.partial = out.with_name(out.name + ".partial")
        self.about = out.with_name(out.name + ".partial.run")
        self.fingerprint = fingerprint
        self.how = how
        self.file_format = file_format

    def write(
        self, scored_from: Callable[[int], Iterator[ScoredCase]], total: int, resume: bool
    ) -> list[Verdict]:
        """Write all cases, or the rest of them; return the verdict of every case."""
        verdicts = self._done_before() if resume else []
        if not verdicts:
            self.partial.write_bytes(b"")
            self.about.write_text(self.fingerprint, encoding="utf-8")
        else:
            notify(f"going on after {len(verdicts)} cases")
        try:
            with self.partial.open("a", encoding="utf-8", newline="\n") as file:
                with progress("scoring", total) as advance:
                    advance(len(verdicts))
                    for scored in scored_from(len(verdicts)):
                        file.write(_line(scored) + "\n")
                        verdicts.append(scored.verdict)
                        advance(1)
                        if len(verdicts) % BATCH == 0:
                            file.flush()
                file.flush()
                os.fsync(file.fileno())
        except KeyboardInterrupt:
            notify(f"interrupted after {len(verdicts)} of {total} cases; go on with --resume")
            raise
        self._finish()
        return verdicts

    def _finish(self) -> None:
        """Put the whole file in its place, with the marks that need all of it."""
        whole = self.out.with_name(self.out.name + ".whole")
        if self.how.max_risk is not None:
            with self.partial.open(encoding="utf-8", newline="\n") as lines:
                marked = self.how.marked(line.removesuffix("\n") for line in lines)
                text = "".join(f"{line}\n" for line in marked)
            whole.write_bytes(text.encode("utf-8"))
            whole.replace(self.partial)
        if self.file_format == "jsonl":
            self.partial.replace(self.out)
        else:
            from clausewise.datasets import write_table

            with self.partial.open(encoding="utf-8", newline="\n") as lines:
                write_table(lines, whole, self.file_format)
            whole.replace(self.out)
            self.partial.unlink()
        self.about.unlink()

    def _done_before(self) -> list[Verdict]:
        """Return the verdicts of the whole lines of a killed run, and cut off a broken last line.

        Raises InputError where that run was of other input, detector or version.
        """
        if not self.partial.exists() or not self.about.exists():
            return []
        if self.about.read_text(encoding="utf-8") != self.fingerprint:
            raise InputError(
                "was begun with other cases, databases, options, detector or version; "
                "run again without --resume to start anew",
                path=self.partial,
            )
        content = self.partial.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) < len(content):
            self.partial.write_bytes(whole)
        return [Verdict(json.loads(line)["verdict"]) for line in whole.splitlines()]
