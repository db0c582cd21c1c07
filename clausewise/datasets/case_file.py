"""Cases of files of any length: read as they are needed, again for every pass over them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from clausewise.datasets._containers import SUFFIXES, iter_records
from clausewise.datasets._text import check_is_file
from clausewise.datasets.cases import TABLES, check_columns, iter_as_cases, read_cases
from clausewise.errors import InputError
from clausewise.types import Case, UncheckedCase
from clausewise.writing import is_stream

STREAMED = frozenset({"jsonl", "csv", "tsv", "parquet"})
"""Formats that are read record by record; JSON arrays and benchmarks' files are read whole."""


def open_cases(
    path: str | Path, format: str | None = None, *, questions: str | Path | None = None
) -> Iterable[Case | UncheckedCase]:
    """Return the cases of a file as `read_cases` does, but read only when they are iterated.

    What is returned has a length and can be iterated again, but for the cases of a pipe: those
    can be iterated once, and an error of the file as a whole shows only where it stands.
    """
    path = Path(path)
    container = format or SUFFIXES.get(path.suffix.lower())
    is_pipe = path.exists() and is_stream(path)
    if container is None and is_pipe and not path.suffix:
        container = "jsonl"
    if questions is not None or container not in STREAMED or (is_pipe and container in TABLES):
        return read_cases(path, format, questions=questions)
    check_is_file(path)
    return CasePipe(path, container) if is_pipe else CaseFile(path, container)


class CaseFile:
    """The cases of a file, read anew each time they are iterated.

    It is read once when this is made: to count the records, and to raise the errors of the file as
    a whole, as `read_cases` does.

    Attributes
    ----------
    path
        The file.
    db_ids
        Names of the databases that its readable records name.
    """

    def __init__(self, path: Path, container: str) -> None:
        self.path = path
        self._container = container
        self._stamp = _stamp(path)
        self._count = 0
        columns: dict[str, None] = {}
        names: set[str] = set()
        for record in iter_records(path, container):
            self._count += 1
            name = record.fields.get("db_id")
            if isinstance(name, str) and record.problem is None:
                names.add(name)
            if container in TABLES:
                columns.update(dict.fromkeys(record.fields))
        if container in TABLES:
            check_columns(columns, path)
        self.db_ids = frozenset(names)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Case | UncheckedCase]:
        if _stamp(self.path) != self._stamp:
            raise InputError("was changed after its records were counted", path=self.path)
        yield from iter_as_cases(iter_records(self.path, self._container), self.path)


class CasePipe:
    """The cases of a pipe of JSON lines, which can be iterated once, as they arrive."""

    def __init__(self, path: Path, container: str) -> None:
        self.path = path
        self._records = iter_records(path, container)

    def __iter__(self) -> Iterator[Case | UncheckedCase]:
        return iter_as_cases(self._records, self.path)


def _stamp(path: Path) -> tuple[int, int, int]:
    """Return what changes when a file is written to or replaced."""
    check_is_file(path)
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns
