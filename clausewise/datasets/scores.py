"""Scores: a line of a scores file, or a dictionary like one, read into a scored case."""

from __future__ import annotations

import codecs
import shutil
import tempfile
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import IO, Any, Self, SupportsIndex, overload

from pydantic import TypeAdapter, ValidationError

from clausewise.datasets._records import RecordParser
from clausewise.datasets._strict import BadLines
from clausewise.datasets._text import check_is_file, not_utf8
from clausewise.datasets._validation import EXPECTED, missing, show
from clausewise.errors import CaseError, InputError
from clausewise.types import SCHEMA_VERSION, CaseStatus, Json, RawJson, ScoredCase

_FIELDS = frozenset(field.name for field in fields(ScoredCase)) - {"carried"}
_RULE = "Input should be "


def read_scores(path: str | Path) -> list[ScoredCase]:
    """Read the lines of a scores file, in file order.

    `p_correct` lies in [0, 1], high = likely correct, and is None exactly where `status` is
    unchecked. Fields that the contract does not name are in `carried`.

    Raises InputError where the file or any line of it cannot be used, or was written with
    another major version of the format.
    """
    return list(iter_scores_file(path))


def iter_scores_file(path: str | Path) -> Iterator[ScoredCase]:
    """Yield what `read_scores` returns, one case in memory at a time.

    Raises InputError as `read_scores` does, for bad lines after the last good one: all of them
    are named in one message.
    """
    with ScoresFile(path) as cases:
        yield from cases


def as_scored_cases(scores: Iterable[ScoredCase | Mapping[str, Json]]) -> list[ScoredCase]:
    """Return scored cases as they are, and dictionaries like a line of a scores file as such.

    Raises CaseError, naming the place in the input (from 1) and the field, where one is neither.
    """
    return list(iter_scored_cases(scores))


def iter_scored_cases(scores: Iterable[ScoredCase | Mapping[str, Json]]) -> Iterator[ScoredCase]:
    """Yield what `as_scored_cases` returns, one case at a time; raises CaseError as it does."""
    for place, item in enumerate(scores, start=1):
        yield item if isinstance(item, ScoredCase) else _scored_case(item, place, "scores")


class ScoresFile(Sequence[ScoredCase]):
    """The cases of a scores file in file order, each read anew whenever it is asked for.

    Memory holds where each line begins, 16 bytes a line, and nothing of its contents. The first
    iteration checks every line and raises InputError at its end, as `iter_scores_file` does. A
    file that cannot be sought, such as a named pipe, is copied to a temporary one.

    Use it in a `with` statement, or call `close`.

    Raises InputError where there is no such file or it cannot be read.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._parser = RecordParser(self.path)
        self._starts = array("Q")
        self._numbers = array("Q")
        self._checked = False
        check_is_file(self.path)
        self._file = _seekable(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; no case can be read afterwards."""
        self._file.close()

    def __iter__(self) -> Iterator[ScoredCase]:
        return super().__iter__() if self._checked else self._first_pass()

    def __len__(self) -> int:
        self._check()
        return len(self._starts)

    @overload
    def __getitem__(self, place: SupportsIndex) -> ScoredCase: ...

    @overload
    def __getitem__(self, place: slice) -> list[ScoredCase]: ...

    def __getitem__(self, place: Any) -> Any:
        self._check()
        if isinstance(place, slice):
            return [self[at] for at in range(len(self))[place]]
        start, number = self._starts[place], self._numbers[place]
        case = self._case(self._line(start), start, number)
        if case is None:
            raise CaseError("is blank: the file changed", path=self.path, line=number)
        return case

    def line_number(self, place: int) -> int:
        """Return the line of a case in the file, from 1."""
        self._check()
        return self._numbers[place]

    def _check(self) -> None:
        if not self._checked:
            for _ in self:
                pass

    def _first_pass(self) -> Iterator[ScoredCase]:
        starts, numbers, bad = array("Q"), array("Q"), BadLines(self.path)
        mark = codecs.BOM_UTF8
        start, number = len(mark) if self._line(0).startswith(mark) else 0, 1
        while line := self._line(start):
            try:
                case = self._case(line, start, number)
            except CaseError as error:
                bad.add(error)
                case = None
            if case is not None:
                starts.append(start)
                numbers.append(number)
                yield case
            start, number = start + len(line), number + 1
        bad.check()
        if not starts:
            raise InputError("the file holds no records", path=self.path)
        self._starts, self._numbers, self._checked = starts, numbers, True

    def _line(self, start: int) -> bytes:
        try:
            self._file.seek(start)
            return self._file.readline()
        except OSError as error:
            raise _unreadable(error, self.path) from None

    def _case(self, line: bytes, start: int, number: int) -> ScoredCase | None:
        """Return the case of a line that begins at byte `start`; None where the line is blank."""
        try:
            text = line.removesuffix(b"\n").decode("utf-8")
        except UnicodeDecodeError as error:
            at, begins = error.start, self._line(0)[:2]
            raise not_utf8(self.path, start + at, line[at], number, begins) from None
        record = self._parser.line(text, number)
        if record is None:
            return None
        if record.problem:
            raise record.problem
        return _scored_case(record.fields, number, self.path)


def _seekable(path: Path) -> IO[bytes]:
    """Open a file for reading; what cannot be sought is copied to a temporary file."""
    try:
        file = path.open("rb")
    except OSError as error:
        raise _unreadable(error, path) from None
    if file.seekable():
        return file
    with file:
        copy = tempfile.TemporaryFile(prefix="clausewise-")  # noqa: SIM115
        try:
            shutil.copyfileobj(file, copy)
        except OSError as error:
            copy.close()
            message = f"cannot be copied to {tempfile.gettempdir()}: {error.strerror}"
            raise InputError(message, path=path) from None
    return copy


def _unreadable(error: OSError, path: Path) -> InputError:
    return InputError(f"cannot be read: {error.strerror}", path=path)


@cache
def _adapter() -> TypeAdapter[ScoredCase]:
    return TypeAdapter(ScoredCase)


def _scored_case(record: Mapping[str, Any], line: int, path: str | Path) -> ScoredCase:
    try:
        return _validated(record, line, path)
    except RecursionError:
        raise CaseError("nested too deeply", path=path, line=line) from None


def _validated(record: Mapping[str, Any], line: int, path: str | Path) -> ScoredCase:
    version = record.get("schema_version", SCHEMA_VERSION)
    if str(version).partition(".")[0] != SCHEMA_VERSION.partition(".")[0]:
        message = f"is {show(version)}, this version reads {SCHEMA_VERSION!r}"
        raise CaseError(message, path=path, line=line, field="schema_version")
    if isinstance(record.get("question_id"), bool):  # True is an integer to Python
        raise _wrong("question_id", "must be text or a whole number", True, line, path)
    named = {key: value for key, value in record.items() if key in _FIELDS}
    carried = {key: value for key, value in record.items() if key not in _FIELDS}
    if RawJson in map(type, named.values()):  # a `str` to pydantic
        deep = next(key for key, value in named.items() if isinstance(value, RawJson))
        message = "nested too deeply, or holds a number that is too large"
        raise CaseError(message, path=path, line=line, field=deep)
    try:
        case = _adapter().validate_python({**named, "carried": carried})
    except ValidationError as error:
        raise _first_problem(error, record, line, path) from None
    for number, finding in enumerate(case.findings):
        if not finding.signal:
            field = f"findings.{number}.signal"
            raise CaseError("missing", path=path, line=line, field=field)
    if (case.status is CaseStatus.UNCHECKED) != (case.p_correct is None):
        held = "null" if case.p_correct is None else "a number"
        message = f"is {held} while status is '{case.status.value}'"
        raise CaseError(message, path=path, line=line, field="p_correct")
    return case


def _first_problem(
    error: ValidationError, record: Mapping[str, Any], line: int, path: str | Path
) -> CaseError:
    first = error.errors(include_url=False, include_context=False)[0]
    if first["type"] == "missing":
        *above, name = first["loc"]
        field = ".".join(map(str, first["loc"]))
        return CaseError(missing(str(name), _at(record, above)), path=path, line=line, field=field)
    place = [first["loc"][0]]
    for part in first["loc"][1:]:
        if not _has(_at(record, place), part):
            break  # the name of a union's member, which is no place in the record
        place.append(part)
    value = _at(record, place)
    expected = EXPECTED.get(str(place[0])) if len(place) == 1 else None
    rule = first["msg"].removeprefix(_RULE)
    return _wrong(".".join(map(str, place)), f"must be {expected or rule}", value, line, path)


def _at(record: Any, place: Iterable[Any]) -> Any:
    """Return the value at a place of nested JSON."""
    for part in place:
        record = record[part]
    return record


def _has(value: Any, part: Any) -> bool:
    if isinstance(value, Mapping):
        return part in value
    return isinstance(value, list | tuple) and isinstance(part, int)


def _wrong(name: str, rule: str, value: Any, line: int, path: str | Path) -> CaseError:
    return CaseError(f"{rule}, is {show(value)}", path=path, line=line, field=name)
