"""Files of results that a long run writes: resumable, and whole or not there at all.

A run writes `OUT.partial`, one JSON object a line, and beside it `OUT.partial.run`, the fingerprint
of what it is a run of. `OUT` appears when all lines are there. While it lasts the run holds a lock
on `OUT.partial.lock`, so that no other one writes to the same place; the lock of a process that
was killed ends with it. A run that was killed is resumed only with the same fingerprint::

    with Run(out, fingerprint(...), count=results.add) as run:
        done = run.open(resume=True, total=len(cases))
        run.write(case.to_dict() for case in detector.iter_scores(cases, databases, start=done))
        run.finish()
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import stat
import time
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from clausewise._version import __version__
from clausewise.datasets import CaseFile, dump_line, load_line, write_table
from clausewise.errors import DatabaseError, InputError
from clausewise.types import Case, CaseStatus, Json, ScoredCase, UncheckedCase, Verdict
from clausewise.writing import (
    DISK_ERRORS,
    Lock,
    check_output,
    is_stream,
    sync_folder,
    write_text,
    writing_text,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from clausewise.databases import Databases
    from clausewise.models import Band

T = TypeVar("T")

PARTIAL, ABOUT, LOCK = ".partial", ".partial.run", ".partial.lock"
SUFFIXES = (PARTIAL, ABOUT, LOCK)
"""What is appended to the name of the results file for the files of an unfinished run."""

FLUSH_SECONDS = 1.0
"""How long a line may wait before it is flushed to the operating system: a kill loses no more."""

_ANEW = "run again without --resume to start anew"
_DAMAGED = (ValueError, LookupError, TypeError, AttributeError, RecursionError)


@dataclass(frozen=True, slots=True)
class LinesOf:
    """The lines of a file of text, without line breaks; read anew each time they are iterated."""

    path: Path

    def __iter__(self) -> Iterator[str]:
        with self.path.open(encoding="utf-8", newline="\n") as lines:
            for line in lines:
                yield line.removesuffix("\n")


class Run:
    """A results file that is being written; leaving it as a context manager ends its lock.

    Parameters
    ----------
    out
        Where the whole file will be; of a symbolic link, the file that it leads to.
    fingerprint
        What must be the same for a run to be resumed, see `fingerprint`.
    count
        Called with every line as an object, in order, those of a resumed run included.

    Attributes
    ----------
    done
        How many lines are written so far.
    """

    def __init__(
        self,
        out: Path,
        fingerprint: str,
        count: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> None:
        self.out = Path(os.path.realpath(out))
        self.partial = self.out.with_name(self.out.name + PARTIAL)
        self.about = self.out.with_name(self.out.name + ABOUT)
        self.fingerprint = fingerprint
        self.done = 0
        self._count = count
        self._lock = Lock(self.out.with_name(self.out.name + LOCK))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self, resume: bool = False, total: int | None = None) -> int:
        """Begin, or with `resume` continue a killed run; return how many lines it had written.

        What follows the last whole line is cut off: a torn line, damaged content, and what goes
        beyond `total`, the number of lines that there will be.

        Raises InputError where another run writes to the same place, the killed run had another
        fingerprint, or what says so is damaged.
        """
        check_output(self.out)
        if not self._lock.acquire():
            message = "another run is writing this file: wait for its end, or choose another name"
            raise InputError(message, path=self.out, field="--out")
        try:
            if resume and self._is_begun():
                self._check_fingerprint()
                self.done = self._recounted(total)
            else:
                self._begin()
        except BaseException:
            self.close()
            raise
        return self.done

    def write(self, records: Iterable[Mapping[str, Json]]) -> None:
        """Append one line for every record; see `write_lines`."""
        count = self._count or (lambda _: None)
        self.write_lines(((dump_line(record), record) for record in records), count)

    def write_lines(self, lines: Iterable[tuple[str, T]], count: Callable[[T], None]) -> None:
        """Append lines, without their breaks; `count` is called with what stands beside each.

        They reach the file in order and whole. Raises InputError where the disk is full; the run
        can be resumed then.
        """
        try:
            with self.partial.open("a", encoding="utf-8", newline="\n") as file:
                flushed = time.monotonic()
                for line, counted in lines:
                    file.write(line + "\n")
                    self.done += 1
                    count(counted)
                    if time.monotonic() - flushed > FLUSH_SECONDS:
                        file.flush()
                        flushed = time.monotonic()
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            if error.errno not in DISK_ERRORS:
                raise
            message = f"cannot be written: {error.strerror}; continue with --resume"
            raise InputError(message, path=self.partial) from error

    def finish(
        self,
        rewrite: Callable[[Iterable[str]], Iterable[str]] | None = None,
        file_format: str = "jsonl",
    ) -> None:
        """Put the whole file in its place.

        Parameters
        ----------
        rewrite
            Gets all lines, without line breaks, to be iterated as often as it wants, and returns
            those to keep instead: for fields that need the whole file.
        file_format
            jsonl, or a format of `write_table`.

        Raises InputError where the disk is full; the run can be resumed then.
        """
        if rewrite is not None:
            with writing_text(self.partial) as file:
                file.writelines(f"{line}\n" for line in rewrite(LinesOf(self.partial)))
        if file_format == "jsonl":
            self.partial.replace(self.out)
            sync_folder(self.out.parent)
        else:
            write_table(LinesOf(self.partial), self.out, file_format)
            self.partial.unlink()
        self.about.unlink()
        self.close()

    def close(self) -> None:
        """End the lock and remove its file; the lines so far stay for a run that resumes."""
        self._lock.release()

    def _begin(self) -> None:
        # In this order a kill in between never leaves lines with the fingerprint of another run.
        self.partial.unlink(missing_ok=True)
        write_text(self.about, self.fingerprint)
        self.partial.touch()
        if self.out.exists():
            self.partial.chmod(stat.S_IMODE(self.out.stat().st_mode))
        self.done = 0

    def _is_begun(self) -> bool:
        if not self.partial.exists() or self.partial.stat().st_size == 0:
            return False
        if not self.about.exists():
            message = f"{self.about.name} is missing, which says of what it is a part; {_ANEW}"
            raise InputError(message, path=self.partial)
        return True

    def _check_fingerprint(self) -> None:
        try:
            begun = json.loads(self.about.read_text(encoding="utf-8"))
            now = json.loads(self.fingerprint)
            differing = sorted(
                name for name in begun.keys() | now.keys() if begun.get(name) != now.get(name)
            )
        except _DAMAGED as error:
            raise InputError(f"this file is damaged; {_ANEW}", path=self.about) from error
        if differing:
            shown = ", ".join(differing[:3]) + (", ..." if len(differing) > 3 else "")
            message = f"was begun with something else as {shown}; {_ANEW}"
            raise InputError(message, path=self.partial)

    def _recounted(self, total: int | None) -> int:
        """Count the whole lines of the killed run, and cut off what follows them."""
        done = size = 0
        with self.partial.open("rb+") as lines:
            for line in lines:
                if done == total or not line.endswith(b"\n"):
                    break
                try:
                    record = load_line(line.decode("utf-8"))
                    if self._count is not None:
                        self._count(record)
                except _DAMAGED:
                    break
                if not isinstance(record, dict):
                    break
                done += 1
                size += len(line)
            lines.truncate(size)
        return done


def contents(inputs: Mapping[str, Path | None]) -> dict[str, str]:
    """Return what stands for the contents of the files that a run reads, by their role.

    It is to be called before they are read, so that a change in between is not missed. A pipe is
    never the same again, and of a detector's folder the manifest counts, which has checksums of
    the other files.

    Parameters
    ----------
    inputs
        The argument or option to the file that it names; None where it is not given. That one
        cannot be read is left to its reader to report.
    """
    return {f"input {role}": _content(path) for role, path in inputs.items() if path is not None}


def _content(path: Path) -> str:
    if is_stream(path):
        return f"a pipe, read once: {secrets.token_hex(16)}"
    file = path / "manifest.json" if path.is_dir() else path
    try:
        with file.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    # The suffix decides how a file is read.
    return f"{digest} {path.suffix.lower()}"


def fingerprint(
    inputs: Mapping[str, str],
    cases: Iterable[Case | UncheckedCase | ScoredCase],
    databases: Databases,
    settings: Mapping[str, str],
) -> str:
    """Return what must be the same for a run to be resumed, as JSON.

    Parameters
    ----------
    inputs
        What `contents` returned.
    cases
        The contents of their databases, and of the descriptions beside these, count; not those of
        a pipe, which is never the same again.
    databases
        Where the databases are.
    settings
        Everything else that changes the result, by name.
    """
    parts = dict(inputs)
    parts |= {f"setting {name}": value for name, value in settings.items()}
    parts["version"] = __version__
    for name in sorted(_database_names(cases)):
        try:
            database = databases.get(name)
            described = _descriptions(getattr(database, "path", None))
            parts[f"database {name}"] = f"{database.content_key} {described}"
        except DatabaseError as error:
            parts[f"database {name}"] = str(error)
    return json.dumps(parts, sort_keys=True)


def _database_names(cases: Iterable[Case | UncheckedCase | ScoredCase]) -> Collection[str]:
    if isinstance(cases, CaseFile):
        return cases.db_ids
    if not isinstance(cases, Sized):
        return ()
    names = {case.db_id for case in cases if not isinstance(case, UncheckedCase)}
    return {name for name in names if name}


def _descriptions(database: Path | None) -> str:
    """Return what stands for the descriptions of columns beside a database."""
    from clausewise.databases.descriptions import FOLDER_NAME

    folder = None if database is None else database.with_name(FOLDER_NAME)
    if folder is None or not folder.is_dir():
        return "without descriptions"
    digest = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.is_file():
            digest.update(f"{path.name} {_content(path)}\n".encode())
    return digest.hexdigest()


def settled(
    lines: Iterable[str],
    *,
    own_share: bool = False,
    max_risk: float | None = None,
    notify: Callable[[str], None] | None = None,
) -> Iterator[str]:
    """Yield the lines of a whole scores file after what needs every one of them.

    The share of incorrect queries is estimated from the probabilities (`estimate_share`). With
    `own_share` their log-odds are moved to it, the threshold with them, so that verdicts stay;
    fewer than `FEWEST_CASES` cases keep the share that the detector was made for. With `max_risk`
    the cases of too high a risk are marked (`band_for_risk`), the error of the share reckoned with.

    Parameters
    ----------
    lines
        Lines of scored cases, without line breaks; they are iterated twice, so that not all of
        them need to be held.
    own_share
        Whether probabilities are moved to the share of these cases.
    max_risk
        Share in [0, 1] of wrong verdicts that is tolerated among the cases not marked; None to mark
        none.
    notify
        Called with one line on the share, and with one on how many cases are marked.
    """
    if isinstance(lines, Iterator):
        lines = list(lines)
    running = _Running.of(lines)
    tell = notify or (lambda _line: None)
    shift = running.share_shift(tell) if own_share else 0.0
    band = None if max_risk is None else running.band(max_risk, shift, tell)
    for record in map(load_line, lines):
        runs = record["status"] == CaseStatus.OK
        if runs and shift:
            _move(record, shift)
        if max_risk is not None:
            record["abstained"] = runs and band is not None and record["p_correct"] in band
        yield dump_line(record)


@dataclass(frozen=True, eq=False, slots=True)
class _Running:
    """What a scores file says of the queries that run.

    Attributes
    ----------
    p_correct, verdicts
        `[n]` each.
    prior
        Share of incorrect queries that the probabilities were made for; None in scores of earlier
        versions.
    databases
        How many databases the queries are on.
    """

    p_correct: NDArray[np.float64]
    verdicts: list[Verdict]
    prior: float | None
    databases: int

    @classmethod
    def of(cls, lines: Iterable[str]) -> Self:
        """Read what is needed of every line."""
        import numpy as np

        p_correct = array("d")
        verdicts: list[Verdict] = []
        databases = set()
        prior = None
        for record in map(load_line, lines):
            if record["status"] == CaseStatus.OK:
                p_correct.append(record["p_correct"])
                verdicts.append(Verdict(record["verdict"]))
                databases.add(record.get("db_id"))
                prior = _prior(record) if prior is None else prior
        return cls(np.array(p_correct), verdicts, prior, len(databases))

    def share_shift(self, tell: Callable[[str], None]) -> float:
        """Return by how much log-odds of being incorrect move to the share of these cases."""
        from clausewise.models.prior import FEWEST_CASES, estimate_share, share_shift

        if self.prior is None or len(self.p_correct) < FEWEST_CASES:
            return 0.0
        found = estimate_share(1.0 - self.p_correct, self.prior, self.databases)
        tell(
            f"probabilities are for {found.share:.1%} incorrect queries, as these "
            f"{len(self.p_correct):,} cases lead one to expect ({found.low:.1%} to "
            f"{found.high:.1%}); no label of this database was seen"
        )
        return share_shift(self.prior, found.share)

    def band(self, max_risk: float, shift: float, tell: Callable[[str], None]) -> Band | None:
        """Return the band of `p_correct`, after `shift`, in which no verdict is relied on."""
        import numpy as np

        from clausewise.models import band_for_risk
        from clausewise.models.calibration.decision import shifts_for
        from clausewise.models.prior import moved

        low = high = 0.0
        if self.prior is not None:
            low, high = shifts_for(self.p_correct, self.prior, self.databases)
        own = self.p_correct
        if shift:
            own = np.round(1.0 - moved(1.0 - own, shift), 6)
        band = band_for_risk(own, self.verdicts, max_risk, (low - shift, high - shift))
        if band is None:
            return None
        inside = sum(p_correct in band for p_correct in own.tolist())
        if inside == len(own):
            tell(
                f"no verdict can be relied on at a risk of {max_risk:g}: too little is known of "
                "these cases"
            )
        else:
            tell(
                f"abstained on {inside} of {len(own)} queries that run: "
                f"p(correct) from {band.low:.3f} to {band.high:.3f}"
            )
        return band


def _move(record: dict[str, Any], shift: float) -> None:
    """Move the log-odds of a line's probability, threshold and prior."""
    import numpy as np

    from clausewise.models.prior import moved

    both = np.array([1.0 - record["p_correct"], record["threshold"]])
    wrong, threshold = moved(both, shift).tolist()
    record["p_correct"] = round(1.0 - wrong, 6)
    record["threshold"] = round(threshold, 6)
    record["explanation"]["prior"] = round(record["explanation"]["prior"] + shift, 6)


def _prior(record: Mapping[str, Any]) -> float | None:
    """Return the share of incorrect queries that a line's probability was made for."""
    from clausewise.models.prior import prior_of

    explanation = record.get("explanation")
    return None if explanation is None else prior_of(explanation["prior"])
