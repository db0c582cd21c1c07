"""Malformed files of cases: hostile lines between two sound ones, and files that are no cases."""

from __future__ import annotations

import gzip
import json
import os
import random
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.attack.scoring import hostile_case, ordinary_cases

FIRST, LAST = (json.dumps(case).encode() for case in ordinary_cases())
CASE = hostile_case("SELECT title FROM books")


@dataclass(frozen=True, slots=True)
class Malformed:
    """A file of cases: what makes it, and how many lines come back; None: it is refused."""

    name: str
    make: Callable[[Path], object]
    lines: int | None = 3
    suffix: str = ".jsonl"
    ordinary: bool = True
    """Whether the two sound cases are in it and must come back as alone."""
    may_be_refused: bool = False
    line: bytes | None = None
    """What stands between the sound cases, where it is one line."""


def content(data: bytes) -> Callable[[Path], object]:
    """Return what writes a file."""
    return lambda path: path.write_bytes(data)


def line(name: str, data: bytes, lines: int = 3, **more: Any) -> Malformed:
    """Return a file with these bytes as the line between two sound cases."""
    single = data if lines == 3 and b"\n" not in data else None
    make = content(FIRST + b"\n" + data + b"\n" + LAST + b"\n")
    return Malformed(name, make, lines, line=single, **more)


def case(name: str, **fields: Any) -> Malformed:
    """Return a file with a case between two sound ones that has other values in these fields."""
    return line(name, json.dumps({**CASE, **fields}).encode())


def raw_field(name: str, field: str, value: str) -> Malformed:
    """Return a file with a case that has this JSON text as the value of a field."""
    text = json.dumps({key: part for key, part in CASE.items() if key != field})
    return line(name, f'{text[:-1]}, "{field}": {value}}}'.encode())


def whole(name: str, data: bytes, suffix: str = ".jsonl", **more: Any) -> Malformed:
    """Return a file of these bytes alone, which is refused as a whole."""
    return Malformed(name, content(data), None, suffix, ordinary=False, **more)


def table(name: str, data: str, lines: int | None) -> Malformed:
    """Return a CSV file of these rows."""
    return Malformed(name, content(data.encode()), lines, ".csv", ordinary=False)


def together(listed: Sequence[Malformed]) -> Malformed:
    """Return one file with the lines of several between the sound cases, each with its own id."""
    lines = [
        (each.line or b"").replace(b'"hostile"', f'"hostile {number}"'.encode())
        for number, each in enumerate(listed)
    ]
    data = b"\n".join([FIRST, *lines, LAST, b""])
    return Malformed("together", content(data), len(listed) + 2)


def piped(path: Path) -> None:
    """Make a named pipe that gives three sound cases to whoever reads it once."""
    os.mkfifo(path)
    middle = json.dumps(CASE).encode()

    def feed() -> None:
        with suppress(OSError):
            path.write_bytes(FIRST + b"\n" + middle + b"\n" + LAST + b"\n")

    threading.Thread(target=feed, daemon=True).start()


def lists(depth: int) -> str:
    """Return JSON of lists in lists."""
    return "[" * depth + "]" * depth


def objects(depth: int) -> str:
    """Return JSON of objects in objects."""
    return '{"a":' * depth + "1" + "}" * depth


_SOUND = json.dumps(CASE).encode()
_ROW = "hostile,bookshop,How many books are there?,SELECT title FROM books\n"
_HEADER = "question_id,db_id,question,predicted_sql\n"


def _long_line() -> bytes:
    return json.dumps({**CASE, "more": "x" * 20_000_000}).encode()


LINES = (
    line("a line that is no JSON", b"not JSON"),
    line("a line that is cut off", _SOUND[:-9]),
    line("an empty object", b"{}"),
    *(line(f"a line that is {text}", text.encode()) for text in ("null", "7", '"x"', "[]")),
    line("two objects in one line", _SOUND + _SOUND),
    line("blank lines", b"\n  \n\t\n" + _SOUND),
    line("random bytes that are text", random.Random(1).randbytes(400).hex().encode()),
    line("a null character", b"\0"),
    line("a null character in a text", _SOUND.replace(b"title", b"ti\0tle")),
    line("control characters in a text", _SOUND.replace(b"title", b"ti\x01\x1b[2Jtle")),
    line("a mark of byte order in the middle", b"\xef\xbb\xbf" + _SOUND),
    line("carriage returns", b"\r" + _SOUND + b"\r"),
    line("other line separators in a text", _SOUND.replace(b"books?", "\u2028\u0085?".encode())),
    line("a list of 200,000 levels", lists(200_000).encode()),
    line("objects of 100,000 levels", objects(100_000).encode()),
    line("brackets that never close", b"[" * 1_000_000),
    Malformed("a line of 20 MB", lambda path: line("", _long_line()).make(path)),
    line("a name in an object twice", _SOUND[:-1] + b', "question_id": "other"}'),
)
FIELDS = (
    *(
        raw_field(f"an extra field of {depth:,} levels of {name}", "more", make(depth))
        for depth in (255, 256, 300, 900, 5_000, 100_000)
        for name, make in (("lists", lists), ("objects", objects))
    ),
    *(
        raw_field(f"{field} of 300 levels", field, lists(300))
        for field in ("question", "evidence", "candidates", "db_id", "question_id", "correct")
    ),
    *(
        raw_field(f"{field} is {value}", field, value)
        for field in ("question_id", "db_id", "question", "predicted_sql")
        for value in ("null", "true", "[]", "{}", "1.5")
    ),
    *(
        raw_field(f"candidates are {value}", "candidates", value)
        for value in ('"SELECT 1"', "7", "[7]", "[[]]", "[null]", '[{"sql": 7}]', '[{"x": 1}]')
    ),
    *(
        raw_field(f"an extra field is {value}", "more", value)
        for value in ("NaN", "-Infinity", "1e999", '"\\ud800"', '"\\u0000"')
    ),
    raw_field("a number of 5,000 digits", "more", "9" * 5_000),
    raw_field("a question_id of 5,000 digits", "question_id", "9" * 5_000),
    raw_field("a question_id of 400 digits", "question_id", "9" * 400),
    raw_field("evidence is a list", "evidence", "[1]"),
    raw_field("correct is text", "correct", '"yes"'),
    case("the question_id of another case", question_id=json.loads(FIRST)["question_id"]),
    case("a question_id of 100,000 letters", question_id="x" * 100_000),
    case("a question_id with escapes", question_id="\x1b]0;owned\x07\n"),
    *(
        case(f"db_id is {name!r}", db_id=name)
        for name in (
            *("", ".", "..", "../databases/bookshop", "/etc", "bookshop/bookshop", "book*"),
            *("a\0b", "sqlite:////etc/passwd", "file:bookshop?mode=rwc", "\x1b]0;owned\x07"),
        )
    ),
    case("a db_id of 100,000 letters", db_id="x" * 100_000),
    case("no question", question=""),
    case("a question of 1 MB", question="how many books " * 70_000),
    case("60,000 numbers in a question", question=" ".join(map(str, range(60_000)))),
    case("numbers of 400 digits in a question", question=f"more than {'9' * 400} books?"),
    case("20,000 quoted values in a question", question="'x' " * 20_000),
    case("brackets in a question", question="(" * 50_000),
    case("terminal escapes in a question", question="\x1b[2J\x1b]0;owned\x07 how many?"),
    case("1 MB of evidence", evidence="a refers to b = 'c'; " * 50_000),
    case("evidence with a formula of 5,000 brackets", evidence="x = " + "(" * 5_000),
    case("2,000 candidates", candidates=[f"SELECT {n} FROM books" for n in range(2_000)]),
    case(
        "a candidate that never ends",
        candidates=[
            "SELECT COUNT(*) FROM books a, books b, books c, books d, books e, books f, books g"
        ],
    ),
    case("candidates with numbers of 400 digits", candidates=[f"SELECT {'9' * 400} FROM books"]),
    case("candidates that write", candidates=["DROP TABLE books", "ATTACH 'x' AS y"]),
    case("a candidate of 1 MB", candidates=["SELECT title FROM books WHERE 1" + " OR 1" * 200_000]),
    *(
        case(f"a field of the output, {name}", **{name: value})
        for name, value in (
            ("status", "ok"),
            ("p_correct", 1),
            ("findings", [{"code": "x"}]),
            ("signals", {"x": "fired"}),
            ("verdict", "correct"),
            ("schema_version", "9"),
            ("reason", ["x"]),
        )
    ),
    case("an empty name of a field", **{"": 1}),
    case("a name of a field with markup", **{"<script>alert(1)</script>": 1}),
    case("10,000 extra fields", **{f"f{number}": number for number in range(10_000)}),
)
WHOLE = (
    Malformed("a mark of byte order first", content(b"\xef\xbb\xbf" + FIRST + b"\n" + LAST), 2),
    Malformed("no line break at the end", content(FIRST + b"\n" + LAST), 2),
    Malformed("Windows line ends", content(FIRST + b"\r\n" + LAST + b"\r\n"), 2),
    Malformed("a named pipe", piped, may_be_refused=True),
    whole("not UTF-8", FIRST + b"\n\xff\xfe\n" + LAST),
    whole("UTF-16", (FIRST + b"\n").decode().encode("utf-16")),
    whole("packed", gzip.compress(FIRST)),
    Malformed("10,000 null characters", content(b"\0" * 10_000), 1, ordinary=False),
    whole("nothing", b""),
    whole("blanks", b" \n\t\n"),
    whole("an unknown suffix", FIRST, ".doc"),
    whole("an array that is cut off", b"[" + FIRST + b",", ".json"),
    Malformed(
        "an array of 100,000 levels",
        content(lists(100_000).encode()),
        1,
        ".json",
        ordinary=False,
        may_be_refused=True,
    ),
    whole("an object of 100,000 levels", objects(100_000).encode(), ".json"),
    whole("an array and more", b"[" + FIRST + b"] x", ".json"),
    whole("a table without a header", _ROW.encode(), ".csv"),
    whole("no Parquet", b"PAR1" + b"\0" * 900 + b"PAR1", ".parquet"),
    whole("text as Parquet", FIRST, ".parquet"),
    table("a table with a cell of 5 MB", f"{_HEADER}{_ROW}x,bookshop,{'y' * 5_000_000},z\n", 2),
    table("a table with a quote that never closes", f'{_HEADER}{_ROW}"x,bookshop,a,b\n', None),
    table("a table with too few cells", f"{_HEADER}{_ROW}x,bookshop\n", 2),
    table("a table with too many cells", f"{_HEADER}{_ROW}x,bookshop,a,b,c,d,e\n", 2),
    table("a table with a name twice", f"question_id,{_HEADER}a,{_ROW}", None),
    table("a table with a null character", f"{_HEADER}{_ROW}x,bookshop,\0,b\n", 2),
    table("a table of formulas", f"{_HEADER}{_ROW}=cmd(),bookshop,@x,+1\n", 2),
    Malformed("a folder", lambda path: path.mkdir(), None, ordinary=False),
    Malformed("a link to nothing", lambda path: path.symlink_to("no"), None, ordinary=False),
    Malformed("links in a circle", lambda path: path.symlink_to(path), None, ordinary=False),
    Malformed(
        "a link to /dev/null", lambda path: path.symlink_to("/dev/null"), None, ordinary=False
    ),
    Malformed(
        "a link to /dev/zero", lambda path: path.symlink_to("/dev/zero"), None, ordinary=False
    ),
)
MALFORMED = (*LINES, *FIELDS, *WHOLE)
