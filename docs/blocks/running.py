"""Running the commands and the Python code of a page, each in processes of its own.

Both are forked from a process that has imported clausewise already: a page of ten commands would
otherwise spend ten times the start of Python, pandas and scikit-learn.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import multiprocessing
import os
import re
import shlex
import subprocess
import sys
import tempfile
import traceback
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Any, Self

_FORK = multiprocessing.get_context("fork")
_QUOTED = re.compile(r"""'[^']*'|"(?:[^"\\$`]|\\.)*\"""")
_FOR_THE_SHELL = set("|&;<>$`*?~(){}[]#'\"")


def set_environment(folder: Path) -> None:
    """Make what is printed the same everywhere; what is kept on disk stays in `folder`."""
    os.environ.update(
        {
            "CLAUSEWISE_CACHE_DIR": str(folder / "cache"),
            "COLUMNS": "100",
            "HTTPS_PROXY": "http://127.0.0.1:9",
            "HTTP_PROXY": "http://127.0.0.1:9",
            "LC_ALL": "C.UTF-8",
            "NO_COLOR": "1",
            "NO_PROXY": "127.0.0.1,localhost",
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONUNBUFFERED": "1",
            "TERM": "dumb",
            "XDG_DATA_HOME": str(folder / "data"),
        }
    )


def run_command(command: str, folder: Path) -> tuple[int, str]:
    """Run a shell command in a folder; return its exit code, standard output and error as one."""
    first, rest = _first_of_pipe(command)
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as piped:
        if not is_plain_clausewise(first):
            code = _run_shell(command, folder, subprocess.DEVNULL, output.fileno())
        elif rest is None:
            code = _run_forked(shlex.split(first), folder, output.fileno(), output.fileno())
        else:
            code = _run_forked(shlex.split(first), folder, piped.fileno(), output.fileno())
            piped.seek(0)
            code = _run_shell(rest, folder, piped.fileno(), output.fileno()) or code
        output.seek(0)
        return code, output.read().decode()


def is_plain_clausewise(command: str) -> bool:
    """Whether a command is one of clausewise's that needs no shell to be read."""
    if not command.startswith("clausewise "):
        return False
    return not _FOR_THE_SHELL & set(_QUOTED.sub("", command))


def _first_of_pipe(command: str) -> tuple[str, str | None]:
    """Split a pipe after its first command; None where it is the only one."""
    unquoted = _QUOTED.sub(lambda quoted: "q" * len(quoted[0]), command)
    bar = re.search(r"(?<!\|)\|(?!\|)", unquoted)
    if bar is None:
        return command, None
    return command[: bar.start()], command[bar.end() :]


def _run_shell(command: str, folder: Path, source: int, output: int) -> int:
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=folder,
        stdin=source,
        stdout=output,
        stderr=subprocess.STDOUT,
        check=False,
    ).returncode


def _run_forked(arguments: list[str], folder: Path, output: int, errors: int) -> int:
    """Run the command line in a copy of this process, with its output in files."""
    child = os.fork()
    if child == 0:
        code = 70
        try:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(output, 1)
            os.dup2(errors, 2)
            # Line by line, as on a terminal: the order of results and notices is part of it.
            sys.stdout = os.fdopen(1, "w", buffering=1, encoding="utf-8")
            sys.stderr = os.fdopen(2, "w", buffering=1, encoding="utf-8")
            code = _main(arguments, folder)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _main(arguments: list[str], folder: Path) -> int:
    from clausewise.cli import main

    os.chdir(folder)
    sys.argv = arguments
    try:
        main()
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


class PythonSession:
    """Runs Python blocks one after the other in one namespace, in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._connection: Connection | None = None
        self._process: Any = None

    def run(self, code: str) -> tuple[str, str | None]:
        """Run a block; return it with the output that its examples have, and what went wrong."""
        if self._connection is None:
            self._connection, far = _FORK.Pipe()
            self._process = _FORK.Process(target=_serve, args=(far, self._folder), daemon=True)
            self._process.start()
            far.close()
        self._connection.send(code)
        try:
            result: tuple[str, str | None] = self._connection.recv()
        except EOFError:
            return code, "the code ended its process"
        return result

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._connection is not None:
            # Closing is no sign: the process has a copy of this end, too.
            with contextlib.suppress(BrokenPipeError):
                self._connection.send(None)
            self._process.join()
            self._connection.close()


def _serve(connection: Connection, folder: Path) -> None:
    """Run the code that comes, until there is none."""
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    names: dict[str, Any] = {"__name__": "__main__"}
    while (code := connection.recv()) is not None:
        examples = any(line.startswith(">>> ") for line in code.splitlines())
        connection.send(_run_examples(code, names) if examples else _run_code(code, names))


def _run_code(code: str, names: dict[str, Any]) -> tuple[str, str | None]:
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            exec(compile(code, "the block", "exec"), names)
        except Exception:
            return code, traceback.format_exc(limit=-1)
    return code, None


def _run_examples(code: str, names: dict[str, Any]) -> tuple[str, str | None]:
    if "doctest: +SKIP" in code:
        return code, "an example is skipped: mark the block with `<!-- not run: reason -->`"
    parts = doctest.DocTestParser().parse(code)
    test = doctest.DocTest(
        [part for part in parts if isinstance(part, doctest.Example)], names, "block", None, 0, code
    )
    runner = _Recorder()
    # The recorder keeps what comes out; the report of the runner itself is for nobody.
    runner.run(test, out=lambda _: None, clear_globs=False)
    names.update(test.globs)
    if runner.errors:
        return code, runner.errors[0]
    if not runner.different:
        return code, None
    got = iter(runner.got)
    new = [
        _example(part, next(got)) if isinstance(part, doctest.Example) else part for part in parts
    ]
    return "".join(new), None


def _example(example: doctest.Example, got: str) -> str:
    first, *more = example.source.splitlines()
    lines = [f">>> {first}", *(f"... {line}" for line in more)]
    return "".join(f"{line}\n" for line in lines) + got


class _Recorder(doctest.DocTestRunner):
    """Keeps what each example prints."""

    def __init__(self) -> None:
        super().__init__(verbose=False)
        self.got: list[str] = []
        self.errors: list[str] = []
        self.different = False

    def report_success(self, out: Any, test: Any, example: Any, got: str) -> None:
        """Keep what was wanted, which may stand for more than was got."""
        del out, test, got
        self.got.append(example.want)

    def report_failure(self, out: Any, test: Any, example: Any, got: str) -> None:
        """Keep what came instead."""
        del out, test, example
        self.got.append(got)
        self.different = True

    def report_unexpected_exception(self, out: Any, test: Any, example: Any, exc_info: Any) -> None:
        """Keep the error: it is none of the examples' output."""
        del out, test
        text = "".join(traceback.format_exception_only(*exc_info[:2]))
        self.errors.append(f"{example.source}{text}")
