"""Builders of hostile databases: files that are damaged, locked, links, pipes, or not files."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from benchmarks.attack.hostile_databases import CHECKED, Build, Hostile, people, script

UNCHECKED = frozenset({"unchecked"})
_PAGE = 4096


def _with_pages(path: Path) -> bytearray:
    script("CREATE TABLE t AS SELECT * FROM people;", rows=5_000)(path)
    return bytearray(path.read_bytes())


def damaged(start: int, end: int | None, seed: int) -> Build:
    """Return a builder of a database with random bytes in a range of its pages."""

    def build(path: Path) -> None:
        content = _with_pages(path)
        first = start * _PAGE
        last = len(content) if end is None else end * _PAGE
        content[first:last] = random.Random(seed).randbytes(last - first)
        path.write_bytes(content)

    return build


def flipped(count: int, seed: int) -> Build:
    """Return a builder of a database with single bytes flipped behind the header."""

    def build(path: Path) -> None:
        content = _with_pages(path)
        draw = random.Random(seed)
        for _ in range(count):
            content[draw.randrange(100, len(content))] ^= draw.randrange(1, 256)
        path.write_bytes(content)

    return build


def cut(path: Path) -> None:
    """Cut a database in the middle of a page."""
    path.write_bytes(_with_pages(path)[: 5 * _PAGE + 77])


def header(offset: int, value: bytes) -> Build:
    """Return a builder of a database with other bytes in its header."""

    def build(path: Path) -> None:
        content = _with_pages(path)
        content[offset : offset + len(value)] = value
        path.write_bytes(content)

    return build


def content(value: bytes, times: int = 1) -> Build:
    """Return a builder of a file with this content, so many times."""

    def build(path: Path) -> None:
        path.write_bytes(value * times)

    return build


def with_log(damage: bool, index: bool) -> Build:
    """Return a builder of a database with a write-ahead log, with or without its index."""

    def build(path: Path) -> None:
        source = path.with_name("source.sqlite")
        with closing(sqlite3.connect(source)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            people(connection)
            connection.commit()
            endings = ("", "-wal", "-shm") if index else ("", "-wal")
            for ending in endings:
                shutil.copyfile(f"{source}{ending}", f"{path}{ending}")
        if damage:
            log = Path(f"{path}-wal")
            log.write_bytes(log.read_bytes()[:32] + os.urandom(5_000))
        for left in path.parent.glob("source.sqlite*"):
            left.unlink()

    return build


def with_journal(path: Path) -> None:
    """Make a database with the journal of a transaction that was broken off."""
    _with_pages(path)
    magic = bytes.fromhex("d9d505f920a163d7") + b"\0\0\0\1" + b"\0" * 500
    path.with_name(path.name + "-journal").write_bytes(magic + os.urandom(4_000))


def link_to(target: str) -> Build:
    """Return a builder of a symbolic link."""
    return lambda path: path.symlink_to(target)


def loop(path: Path) -> None:
    """Make two links to each other."""
    other = path.with_name("other.sqlite")
    path.symlink_to(other)
    other.symlink_to(path)


def sparse(path: Path) -> None:
    """Make a database with a hole of 8 GB behind its last page."""
    script("")(path)
    os.truncate(path, 8_000_000_000)


def described_by(make: Build) -> Build:
    """Return a builder of a sound database whose description of `people` is made by `make`."""

    def build(path: Path) -> None:
        script("")(path)
        folder = path.with_name("database_description")
        folder.mkdir()
        make(folder / "people.csv")

    return build


FILES = (
    Hostile("random bytes in the first page", damaged(0, 1, 1), allowed=UNCHECKED),
    Hostile("random bytes in the middle", damaged(3, 9, 2)),
    Hostile("random bytes to the end", damaged(2, None, 3)),
    *(Hostile(f"{n} flipped bytes, seed {n}", flipped(n, n)) for n in (20, 21, 22, 200, 2_000)),
    Hostile("cut in the middle of a page", cut),
    Hostile("a page size of 0", header(16, b"\0\0")),
    Hostile("a page size that is no power of two", header(16, b"\x0f\xff")),
    Hostile("more pages than there are", header(28, b"\x7f\xff\xff\xff")),
    Hostile("a free page in the list that is none", header(32, b"\x7f\xff\xff\xff\0\0\0\x09")),
    Hostile("a format of the future", header(18, b"\x09\x09")),
    Hostile("an encoding that is none", header(56, b"\0\0\0\x07")),
    Hostile("an empty file", content(b""), allowed=UNCHECKED),
    Hostile("a file of text", content(b"CREATE TABLE people (id, name);\n"), allowed=UNCHECKED),
    Hostile("a header and no more", content(b"SQLite format 3\0" + b"\0" * 84)),
    Hostile(
        "a header and half a page", content(b"SQLite format 3\0" + b"\x10\0" + b"\x01" * 2_000)
    ),
    Hostile("a hole of 8 GB", sparse),
    Hostile("a log without its index", with_log(damage=False, index=False), allowed=CHECKED),
    Hostile("a log with its index", with_log(damage=False, index=True), allowed=CHECKED),
    Hostile("a damaged log", with_log(damage=True, index=False)),
    Hostile("the journal of a broken transaction", with_journal),
    Hostile("a named pipe", os.mkfifo, allowed=UNCHECKED),
    Hostile("links in a circle", loop, allowed=UNCHECKED),
    Hostile("a link to /dev/zero", link_to("/dev/zero"), allowed=UNCHECKED),
    Hostile("a link to /dev/stdin", link_to("/dev/stdin"), allowed=UNCHECKED),
    Hostile("a link to nothing", link_to("nothing"), allowed=UNCHECKED),
    Hostile("a link to the folder", link_to("."), allowed=UNCHECKED),
    Hostile("a folder in place of the file", lambda path: path.mkdir(), allowed=UNCHECKED),
    Hostile("a description that is a named pipe", described_by(os.mkfifo)),
    Hostile("a description that is a link to /dev/zero", described_by(link_to("/dev/zero"))),
    Hostile("a description that is a folder", described_by(lambda path: path.mkdir())),
    Hostile(
        "a description of random bytes",
        described_by(content(random.Random(7).randbytes(200_000))),
    ),
    Hostile(
        "a description with one line of 100 MB",
        described_by(content(b"x,", 50_000_000)),
    ),
)
