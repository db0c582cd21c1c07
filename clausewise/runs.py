"""Files of results that a long run writes: resumable, and whole or not there at all.

A run writes `OUT.partial`, one JSON object a line, and beside it `OUT.partial.run`, the fingerprint
of what it is a run of. `OUT` appears when all lines are there. A run that was killed is resumed
only with the same fingerprint::

    run = Run(out, fingerprint(...), fields=("verdict",))
    done = run.open(resume=True)
    run.write(case.to_dict() for case in detector.iter_scores(cases, databases, start=done))
    run.finish()
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clausewise._version import __version__
from clausewise.datasets import dump_line, write_table
from clausewise.errors import DatabaseError, InputError
from clausewise.types import Case, CaseStatus, Json, UncheckedCase, Verdict

if TYPE_CHECKING:
    from clausewise.databases import Databases

PARTIAL, ABOUT, WHOLE = ".partial", ".partial.run", ".whole"
SUFFIXES = (PARTIAL, ABOUT, WHOLE)
"""What is appended to the name of the results file for the files of an unfinished run."""

FLUSH_EVERY = 256
"""Lines after which what is written is flushed to the operating system."""


class Run:
    """A results file that is being written.

    Parameters
    ----------
    out
        Where the whole file will be.
    fingerprint
        What must be the same for a run to be resumed, see `fingerprint`.
    fields
        Fields of every line that `kept` holds, those of resumed lines included; or a function
        that makes them of a line.

    Attributes
    ----------
    kept
        The chosen fields of all lines so far, in order.
    """

    def __init__(
        self,
        out: Path,
        fingerprint: str,
        fields: Sequence[str] | Callable[[Mapping[str, Any]], dict[str, Json]] = (),
    ) -> None:
        self.out = out
        self.partial = out.with_name(out.name + PARTIAL)
        self.about = out.with_name(out.name + ABOUT)
        self.fingerprint = fingerprint
        self.fields = fields
        self.kept: list[dict[str, Json]] = []

    def open(self, resume: bool = False) -> int:
        """Begin, or with `resume` continue a killed run; return how many lines it had written.

        A last line that is not whole is cut off.

        Raises InputError where the killed run had another fingerprint.
        """
        self.kept = self._resumed() if resume else []
        if not self.kept:
            self.partial.write_bytes(b"")
            self.about.write_text(self.fingerprint, encoding="utf-8")
        return len(self.kept)

    def write(self, records: Iterable[Mapping[str, Json]]) -> None:
        """Append one line for every record. Lines reach the file in order and whole."""
        with self.partial.open("a", encoding="utf-8", newline="\n") as file:
            for record in records:
                file.write(dump_line(record) + "\n")
                self.kept.append(self._chosen(record))
                if len(self.kept) % FLUSH_EVERY == 0:
                    file.flush()
            file.flush()
            os.fsync(file.fileno())

    def finish(
        self,
        rewrite: Callable[[Iterable[str]], Iterable[str]] | None = None,
        file_format: str = "jsonl",
    ) -> None:
        """Put the whole file in its place.

        Parameters
        ----------
        rewrite
            Gets all lines, without line breaks, and returns those to keep instead: for fields
            that need the whole file.
        file_format
            jsonl, or a format of `write_table`.
        """
        whole = self.out.with_name(self.out.name + WHOLE)
        if rewrite is not None:
            with self.partial.open(encoding="utf-8", newline="\n") as lines:
                text = "".join(
                    f"{line}\n" for line in rewrite(line.removesuffix("\n") for line in lines)
                )
            whole.write_bytes(text.encode("utf-8"))
            whole.replace(self.partial)
        if file_format == "jsonl":
            self.partial.replace(self.out)
        else:
            with self.partial.open(encoding="utf-8", newline="\n") as lines:
                write_table(lines, whole, file_format)
            whole.replace(self.out)
            self.partial.unlink()
        self.about.unlink()

    def _chosen(self, record: Mapping[str, Any]) -> dict[str, Json]:
        if callable(self.fields):
            return self.fields(record)
        return {name: record.get(name) for name in self.fields}

    def _resumed(self) -> list[dict[str, Json]]:
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
        return [self._chosen(json.loads(line)) for line in whole.splitlines()]


def fingerprint(
    inputs: Iterable[Path],
    cases: Iterable[Case | UncheckedCase],
    databases: Databases,
    settings: Mapping[str, str],
    detector: Path | None = None,
) -> str:
    """Return what must be the same for a run to be resumed, as JSON.

    Parameters
    ----------
    inputs
        Files that the run reads; their contents count.
    cases
        Their databases' contents count.
    databases
        Where the databases are.
    settings
        Everything else that changes the result, by name.
    detector
        The detector's folder, None for the packaged one.
    """
    parts = {
        f"input {number} {path.name}": hashlib.sha256(path.read_bytes()).hexdigest()
        for number, path in enumerate(inputs, start=1)
    }
    manifest = None if detector is None else detector / "manifest.json"
    parts["detector"] = (
        "packaged" if manifest is None else hashlib.sha256(manifest.read_bytes()).hexdigest()
    )
    parts |= {f"setting {name}": value for name, value in settings.items()}
    parts["version"] = __version__
    for name in sorted({case.db_id for case in cases if isinstance(case, Case)}):
        try:
            parts[f"database {name}"] = databases.get(name).content_key
        except DatabaseError as error:
            parts[f"database {name}"] = str(error)
    return json.dumps(parts, sort_keys=True)


def marked_within_risk(
    lines: Iterable[str], max_risk: float, notify: Callable[[str], None] | None = None
) -> Iterator[str]:
    """Yield the lines of a whole scores file with the cases of too high a risk marked.

    The band is that of `band_for_risk` over the probabilities as they are written, so it is known
    only when all cases are scored.

    Parameters
    ----------
    lines
        Lines of scored cases, without line breaks.
    max_risk
        Share in [0, 1] of wrong verdicts that is tolerated among the cases not marked.
    notify
        Called with one line on how many cases are marked.
    """
    from clausewise.models import band_for_risk

    records: list[dict[str, Any]] = [json.loads(line) for line in lines]
    running = [record for record in records if record["status"] == CaseStatus.OK]
    band = band_for_risk(
        [record["p_correct"] for record in running],
        [Verdict(record["verdict"]) for record in running],
        max_risk,
    )
    if band is not None and notify is not None:
        inside = sum(record["p_correct"] in band for record in running)
        notify(
            f"abstained on {inside} of {len(running)} queries that run: "
            f"p(correct) from {band.low:.3f} to {band.high:.3f}"
        )
    for record in records:
        runs = record["status"] == CaseStatus.OK
        record["abstained"] = runs and band is not None and record["p_correct"] in band
        yield dump_line(record)
