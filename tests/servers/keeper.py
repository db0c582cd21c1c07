"""Runs one database server for as long as a test run lasts; a process of its own.

`python -m tests.servers.keeper KIND FOLDER` makes a server on the loopback with all its data in a
temporary folder, prints where it is as one line of JSON, waits for the lock that the run holds in
FOLDER, stops the server and removes its data. The system releases that lock however the run ends,
and ends the server itself where the keeper is killed.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

from tests.servers.installed import KINDS, Kind
from tests.servers.server import READER, WRITER, Server

RUN_LOCK = "run.lock"
"""Held by the test run, in its folder."""
KEEPER_LOCK = ".kept"
"""Ending of the file whose lock the keeper holds until the data are removed."""

_ATTEMPTS = 5
"""Somebody else may take a free port before the server does."""
_SECONDS_BETWEEN_LOOKS = 0.05
_PR_SET_PDEATHSIG = 1
_STOP = {"postgresql": signal.SIGQUIT, "mariadb": signal.SIGKILL}
"""At once: nobody needs the data."""
_POSTGRESQL_OPTIONS = (
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "shared_buffers=32MB",
    "max_connections=100",
    "unix_socket_directories=",
    "listen_addresses=127.0.0.1",
)
_MARIADB_OPTIONS = (
    "--bind-address=127.0.0.1",
    "--skip-name-resolve",
    "--skip-log-bin",
    "--performance-schema=OFF",
    "--innodb-flush-log-at-trx-commit=0",
    "--innodb-buffer-pool-size=32M",
    "--innodb-use-native-aio=OFF",  # the system has few places for it
    "--character-set-server=utf8mb4",
    "--collation-server=utf8mb4_bin",
)


class _Ended(Exception):
    """A program ended that should not have; the message is what it wrote."""


class _Programs:
    """Starts programs as a user without privileges (the servers refuse to run as root)."""

    def __init__(self, kind: Kind, folder: Path) -> None:
        self._folder = folder
        self._account = _account(kind.users) if os.geteuid() == 0 else None
        self._end = partial(_end_with_parent, _STOP[kind.name])
        self._log = folder / "log"
        if self._account is not None:
            os.chown(folder, self._account.pw_uid, self._account.pw_gid)

    def run(self, *command: object) -> None:
        """Run a program to its end. Raises _Ended where it fails."""
        if self.start(*command).wait():
            raise self.ended()

    def start(self, *command: object) -> subprocess.Popen[bytes]:
        """Start a program that ends when this process does."""
        account = self._account
        with self._log.open("ab") as log:
            # The function comes last: a change of the user would undo what it asks for.
            return subprocess.Popen(
                list(map(str, command)),
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                user=account and account.pw_uid,
                group=account and account.pw_gid,
                extra_groups=None if account is None else [],
                env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8"},
                preexec_fn=self._end,  # noqa: PLW1509  # there is one thread
            )

    def ended(self) -> _Ended:
        """Return the error that says what was written last."""
        return _Ended(self._log.read_text(encoding="utf-8", errors="replace")[-2_000:])


@contextlib.contextmanager
def running(kind: Kind) -> Iterator[Server]:
    """Run a server of a kind with the two roles of tests; it and its data are gone at the end."""
    programs = kind.find()
    if programs is None:
        raise SystemExit(kind.left_out)
    folder = Path(tempfile.mkdtemp(prefix=f"clausewise-{kind.name}-"))
    try:
        starter = _Programs(kind, folder)
        data = folder / "data"
        password = secrets.token_hex(8)
        if kind.name == "postgresql":
            process, server = _start_postgresql(starter, programs, data, password)
        else:
            process, server = _start_mariadb(starter, programs, data, password)
        try:
            yield server
        finally:
            process.send_signal(_STOP[kind.name])
            process.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _start_postgresql(
    starter: _Programs, programs: Sequence[Path], data: Path, password: str
) -> tuple[subprocess.Popen[bytes], Server]:
    initdb, postgres = programs
    secret = data.with_name("password")
    secret.write_text(password, encoding="utf-8")
    secret.chmod(0o644)  # its folder can be entered by the server's user alone
    starter.run(
        *(initdb, "--pgdata", data, "--username", "postgres", f"--pwfile={secret}"),
        *("--auth=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"),
    )
    options = [part for option in _POSTGRESQL_OPTIONS for part in ("-c", option)]
    for _ in range(_ATTEMPTS):
        server = Server("postgresql", _free_port(), password)
        process = starter.start(postgres, "-D", data, "-p", server.port, *options)
        if _is_ready(process, server):
            break
    else:
        raise starter.ended()
    for role in (READER, WRITER):
        server.execute(f"CREATE ROLE {role} LOGIN PASSWORD '{password}'")
    return process, server


def _start_mariadb(
    starter: _Programs, programs: Sequence[Path], data: Path, password: str
) -> tuple[subprocess.Popen[bytes], Server]:
    install, mariadbd = programs
    starter.run(
        *(install, "--no-defaults", f"--datadir={data}", "--skip-test-db"),
        "--innodb-use-native-aio=OFF",
        "--auth-root-authentication-method=normal",
    )
    first = data.with_name("first.sql")
    admin = Server("mariadb", 0, password).admin
    first.write_text(
        f"CREATE OR REPLACE USER {admin}@'%' IDENTIFIED BY '{password}';\n"
        f"GRANT ALL ON *.* TO {admin}@'%' WITH GRANT OPTION;\n"
        f"CREATE OR REPLACE USER {READER}@'%' IDENTIFIED BY '{password}';\n"
        f"CREATE OR REPLACE USER {WRITER}@'%' IDENTIFIED BY '{password}';\n"
        # Roots without a password, and anybody.
        "DELETE FROM mysql.global_priv WHERE User IN ('root', '');\n"
        "FLUSH PRIVILEGES;\n",
        encoding="utf-8",
    )
    first.chmod(0o644)
    for _ in range(_ATTEMPTS):
        server = Server("mariadb", _free_port(), password)
        process = starter.start(
            *(mariadbd, "--no-defaults", f"--datadir={data}", f"--port={server.port}"),
            *(f"--socket={data.with_name('socket')}", f"--pid-file={data.with_name('pid')}"),
            *(f"--init-file={first}", *_MARIADB_OPTIONS),
        )
        if _is_ready(process, server):
            return process, server
    raise starter.ended()


def _is_ready(process: subprocess.Popen[bytes], server: Server) -> bool:
    """Wait until the server takes connections, or has ended."""
    while process.poll() is None:
        try:
            with server.connect():
                return True
        except Exception:  # each driver has its own errors
            time.sleep(_SECONDS_BETWEEN_LOOKS)
    return False


def _account(users: Sequence[str]) -> pwd.struct_passwd:
    for user in users:
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(user)
    raise SystemExit(f"there is no user {' or '.join(users)}")


def _end_with_parent(number: int) -> None:
    """Let the system send this process a signal when its parent dies; on Linux only."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def _leave(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


def main(name: str, folder: Path) -> None:
    """Keep a server until the test run of that folder ends, as no child of the test process.

    Tests count the processes that they start.
    """
    if os.fork():
        os._exit(0)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _leave)
    with (folder / f"{name}{KEEPER_LOCK}").open("w") as kept:
        fcntl.flock(kept, fcntl.LOCK_EX)
        with running(KINDS[name]) as server, (folder / RUN_LOCK).open() as run:
            print(json.dumps(asdict(server)), flush=True)
            fcntl.flock(run, fcntl.LOCK_SH)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
