"""Processes of the command line in folders of their own, and what they leave behind."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

import clausewise

MAIN = "from clausewise.cli import main; main()"
MARK = "CLAUSEWISE_ATTACK"
"""Variable of the environment by which a process and all that it starts are found again."""

GRACE = 5.0
"""Seconds after a limit, or after the end of a command, in which everything must have ended."""

_ERROR = re.compile(r"^\w[\w.]*(?:Error|Exception|Interrupt).*", re.MULTILINE)
_POLL = 0.02
_LARGEST_HASHED = 4_000_000_000


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended. `code` is None where it did not end and was killed by the suite."""

    code: int | None
    out: bytes
    err: str
    seconds: float
    megabytes: float
    """The most memory that one of its processes held, those that were not waited for left out."""

    def broken(self, codes: frozenset[int]) -> list[str]:
        """Return what is wrong with its end: a freeze, a traceback, a code not of `codes`."""
        if self.code is None:
            return ["it did not end"]
        found = []
        if "Traceback (most recent call last)" in self.err:
            found.append(f"traceback: {' '.join(_ERROR.findall(self.err)[:1])}")
        if self.code not in codes:
            found.append(f"exit code {self.code}: {self.err.strip()[-200:]}")
        return found


class Sandbox:
    """A folder with a home, a cache and a temporary folder for the processes started here."""

    def __init__(self, folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.work, self.cache, self.temporary = (
            folder / name for name in ("work", "cache", "temporary")
        )
        for path in (self.work, self.cache, self.temporary, folder / "home"):
            path.mkdir(parents=True, exist_ok=True)
        self.mark = uuid.uuid4().hex
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("OPENAI_", "CLAUSEWISE_"))
        }
        self.environment = {
            **kept,
            "HOME": str(folder / "home"),
            "XDG_DATA_HOME": str(folder / "home" / "data"),
            "TMPDIR": str(self.temporary),
            "CLAUSEWISE_CACHE_DIR": str(self.cache),
            "PYTHONPATH": str(Path(clausewise.__file__).parents[1]),
            MARK: self.mark,
            **(environment or {}),
        }

    def start(self, *arguments: object) -> Running:
        """Start the command line with these arguments."""
        return Running(self, [sys.executable, "-c", MAIN, *map(str, arguments)])

    def run(self, *arguments: object, seconds: float = 120.0) -> Done:
        """Run the command line to its end, or kill it after so many seconds."""
        return self.start(*arguments).wait(seconds)

    def left(self, seconds: float = GRACE) -> list[str]:
        """Return what is left when no command runs: processes after a wait, temporary files."""
        deadline = time.monotonic() + seconds
        while (processes := self.processes()) and time.monotonic() < deadline:
            time.sleep(_POLL)
        found = [f"process {_title(process)} is left" for process in processes]
        found += [
            f"temporary {name} is left" for name in sorted(map(str, self.temporary.iterdir()))
        ]
        self.kill()
        shutil.rmtree(self.temporary)
        self.temporary.mkdir()
        return found

    def processes(self) -> list[psutil.Process]:
        """Return the living processes that were started here, or by those."""
        return [process for process in psutil.process_iter() if self._owns(process)]

    def kill(self) -> None:
        """Kill every process that was started here."""
        for process in self.processes():
            with suppress(psutil.Error):
                process.kill()

    def _owns(self, process: psutil.Process) -> bool:
        try:
            if process.status() == psutil.STATUS_ZOMBIE:
                return False
            return bool(process.environ().get(MARK) == self.mark)
        except (psutil.Error, OSError):
            return False


class Running:
    """A command that was started."""

    def __init__(self, sandbox: Sandbox, command: list[str]) -> None:
        self._sandbox = sandbox
        self._out, self._err = (sandbox.folder / f"std{name}" for name in ("out", "err"))
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                cwd=sandbox.work,
                env=sandbox.environment,
                start_new_session=True,
            )
        self.began = time.monotonic()
        self._megabytes = 0.0

    def ended(self) -> bool:
        """Whether it has ended; how it did is kept."""
        if self.process.returncode is None:
            pid, status, used = os.wait4(self.process.pid, os.WNOHANG)
            if pid:
                self.process.returncode = os.waitstatus_to_exitcode(status)
                self._megabytes = used.ru_maxrss / 1024
        return self.process.returncode is not None

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the command itself, not to what it started."""
        if not self.ended():
            os.kill(self.process.pid, number)

    def wait(self, seconds: float) -> Done:
        """Wait for the end, at most so long; then kill it and all that it started."""
        deadline = self.began + seconds
        while not self.ended() and time.monotonic() < deadline:
            time.sleep(_POLL)
        code = self.process.returncode
        took = time.monotonic() - self.began
        if code is None:
            self._sandbox.kill()
            while not self.ended():
                time.sleep(_POLL)
        err = self._err.read_bytes().decode("utf-8", "replace")
        return Done(code, self._out.read_bytes(), err, took, self._megabytes)


def snapshot(folder: Path) -> dict[str, str]:
    """Return every path below a folder with its kind, and the hash of each plain file."""
    return {
        os.fsdecode(path.relative_to(folder)): _content(path) for path in sorted(folder.rglob("*"))
    }


def _content(path: Path) -> str:
    if path.is_symlink():
        return f"link to {path.readlink()}"
    if not path.is_file() or path.stat().st_size > _LARGEST_HASHED:
        return f"mode {path.lstat().st_mode:o}, {path.lstat().st_size} bytes"
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _title(process: psutil.Process) -> str:
    with suppress(psutil.Error):
        return f"{process.pid} ({' '.join(process.cmdline())[:60]})"
    return str(process.pid)
