"""The servers that tests ask for: each is started once a run, when the first test asks for it.

A test that takes the fixture `postgresql` or `mariadb` gets a running server, or is skipped where
it is not installed; the end of the run says so. With `CLAUSEWISE_REQUIRE_SERVERS=1` it fails.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

import pytest

from tests.servers.installed import KINDS, REQUIRED
from tests.servers.keeper import KEEPER_LOCK, RUN_LOCK
from tests.servers.server import Server

_ROOT = Path(__file__).resolve().parents[2]
_FOLDER = "CLAUSEWISE_TESTS_SERVERS"
"""Environment variable: the folder by which the processes of one run share their servers."""
_run_lock = pytest.StashKey[IO[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """Make the folder, in the process that all others of the run come from."""
    if hasattr(config, "workerinput"):
        return
    folder = Path(tempfile.mkdtemp(prefix="clausewise-servers-"))
    lock = (folder / RUN_LOCK).open("w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    config.stash[_run_lock] = lock
    os.environ[_FOLDER] = str(folder)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Let the keepers stop their servers, and wait for them."""
    lock = config.stash.get(_run_lock, None)
    if lock is None:
        return
    fcntl.flock(lock, fcntl.LOCK_UN)
    lock.close()
    folder = Path(os.environ.pop(_FOLDER))
    for file in folder.glob(f"*{KEEPER_LOCK}"):
        with file.open() as kept:
            fcntl.flock(kept, fcntl.LOCK_EX)
    shutil.rmtree(folder, ignore_errors=True)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which servers were missing."""
    folder = Path(os.environ.get(_FOLDER, ""))
    for kind in KINDS.values():
        if (folder / f"{kind.name}.missing").exists():
            terminalreporter.write_line(kind.left_out)


def running_server(name: str) -> Server:
    """Return the server of a kind, `postgresql` or `mariadb`, that all tests of the run share.

    The test is skipped where it is not installed, and fails there if that is not allowed.
    """
    folder, kind = Path(os.environ[_FOLDER]), KINDS[name]
    if kind.find() is None or find_spec(kind.driver) is None:
        if os.environ.get(REQUIRED) == "1":
            pytest.fail(kind.left_out)
        (folder / f"{name}.missing").touch()
        pytest.skip(kind.left_out)
    state = folder / f"{name}.json"
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not state.exists():
            state.write_text(_start(name, folder), encoding="utf-8")
    return Server(**json.loads(state.read_text(encoding="utf-8")))


def _start(name: str, folder: Path) -> str:
    """Start a keeper; return the line that it prints when its server is ready."""
    with (folder / f"{name}.log").open("w+") as log:
        keeper = subprocess.Popen(
            [sys.executable, "-m", "tests.servers.keeper", name, str(folder)],
            cwd=_ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            # Ctrl-C is for the run; the keeper ends after it.
            start_new_session=True,
        )
        assert keeper.stdout is not None
        with contextlib.closing(keeper.stdout) as printed:
            line = printed.readline()
        keeper.wait()  # it goes on as a process of its own
        if not line:
            log.seek(0)
            pytest.fail(f"the server cannot be started: {log.read()}")
    return line


@pytest.fixture(scope="session")
def postgresql() -> Server:
    """A running PostgreSQL."""
    return running_server("postgresql")


@pytest.fixture(scope="session")
def mariadb() -> Server:
    """A running MariaDB (or MySQL)."""
    return running_server("mariadb")


@pytest.fixture(scope="session", params=sorted(KINDS))
def server(request: pytest.FixtureRequest) -> Server:
    """Each kind of server, one after another."""
    return running_server(request.param)


@pytest.fixture(scope="session", params=["duckdb", "mysql", "postgres"])
def loaded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The packaged sample in each dialect but SQLite's: a `LoadedSample`."""
    from tests.servers.sample import FILES, LoadedSample, script_of

    dialect = request.param
    if dialect == "duckdb":
        duckdb = pytest.importorskip("duckdb")
        folder = tmp_path_factory.mktemp("sample")
        targets = {name: folder / f"{name}.duckdb" for name in FILES}
        for name, file in FILES.items():
            with duckdb.connect(str(targets[name])) as connection:
                connection.execute(script_of(file, dialect))
        return LoadedSample(dialect, targets)
    server = running_server("postgresql" if dialect == "postgres" else "mariadb")
    made = {name: server.create(script_of(file, dialect), name) for name, file in FILES.items()}
    return LoadedSample(dialect, {name: database.reader for name, database in made.items()})
