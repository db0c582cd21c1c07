"""The servers that tests start: roles, and an end whatever happens to the run."""

import fcntl
import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError

from tests.servers import installed
from tests.servers.installed import KINDS, REQUIRED
from tests.servers.keeper import KEEPER_LOCK
from tests.servers.plugin import running_server
from tests.servers.server import Server

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = "CREATE TABLE one (a INT); INSERT INTO one VALUES (7)"


def _run(url: str, statement: str) -> object:
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            result = connection.execute(text(statement))
            return result.scalar() if result.returns_rows else None
    finally:
        engine.dispose()


def test_a_database_has_a_reader_and_a_writer(server: Server) -> None:
    made = server.create(SCRIPT, "odd name!")
    for url in (made.admin, made.reader, made.writer):
        assert _run(url, "SELECT a FROM one") == 7
    with pytest.raises(DBAPIError, match="denied"):
        _run(made.reader, "INSERT INTO one VALUES (8)")
    _run(made.writer, "INSERT INTO one VALUES (8)")
    _run(made.writer, "CREATE TABLE two (b INT)")
    assert server.execute("SELECT count(*) FROM one", made.name) == [(2,)]
    server.drop(made)
    assert server.password not in repr((server, made))


def test_databases_of_one_name_are_two(server: Server) -> None:
    first, second = server.create(SCRIPT), server.create()
    assert first.name != second.name
    assert _run(first.reader, "SELECT count(*) FROM one") == 1


PLUGIN = "pytest_plugins = ['tests.servers.plugin']\n"
BROKEN_OFF = """
import os, pathlib, signal

from tests.servers.plugin import running_server

def test_broken_off():
    server = running_server("{kind}")
    shared = os.environ["CLAUSEWISE_TESTS_SERVERS"]
    pathlib.Path(__file__).with_name("seen").write_text(f"{{shared}} {{server.port}}")
    os.kill(os.getpid(), signal.{signal})
    signal.pause()
"""


@pytest.mark.parametrize("name", sorted(KINDS))
def test_a_killed_run_leaves_no_server(name: str, tmp_path: Path) -> None:
    running_server(name)  # skips where there is none
    done = _run_tests(tmp_path, BROKEN_OFF.format(kind=name, signal="SIGKILL"))
    assert done.returncode == -signal.SIGKILL, done.stdout
    folder, port = (tmp_path / "seen").read_text().split()
    with (Path(folder) / f"{name}{KEEPER_LOCK}").open() as kept:
        fcntl.flock(kept, fcntl.LOCK_EX)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", int(port)))
    shutil.rmtree(folder)


def test_an_interrupted_run_leaves_nothing(tmp_path: Path) -> None:
    running_server("postgresql")
    done = _run_tests(tmp_path, BROKEN_OFF.format(kind="postgresql", signal="SIGINT"))
    assert done.returncode == pytest.ExitCode.INTERRUPTED, done.stdout
    folder, port = (tmp_path / "seen").read_text().split()
    assert not Path(folder).exists()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", int(port)))


MISSING = """
def test_one(postgresql): pass
def test_two(server): pass
"""


def test_a_missing_server_is_named(tmp_path: Path) -> None:
    hide = "import tests.servers.installed as installed\ninstalled._folders = lambda: ()\n"
    (tmp_path / "conftest.py").write_text(hide + PLUGIN)
    done = _run_tests(tmp_path, MISSING, PATH=str(tmp_path), **{REQUIRED: ""})
    assert "3 skipped" in done.stdout
    for kind in KINDS.values():
        assert f"\n{kind.left_out}\n" in done.stdout


def test_a_missing_server_fails_where_it_is_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "_folders", lambda: ())
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv(REQUIRED, "1")
    with pytest.raises(pytest.fail.Exception, match="apt-get install mariadb-server"):
        running_server("mariadb")


def _run_tests(folder: Path, tests: str, **environment: str) -> subprocess.CompletedProcess[str]:
    file = folder / "test_inner.py"
    file.write_text(tests)
    config = folder / "pytest.ini"
    config.write_text("[pytest]\npythonpath = " + str(ROOT))
    options = ["-p", "no:cacheprovider", "-c", str(config)]
    if not (folder / "conftest.py").exists():
        (folder / "conftest.py").write_text(PLUGIN)
    return subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(file)],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
