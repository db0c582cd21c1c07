"""Where results go: never over an input, and in the format that the file's suffix names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from clausewise.errors import InputError
from clausewise.writing import check_output, is_stream

SCORE_SUFFIXES = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
}
"""Suffix of a scores file to its format."""

REPORT_SUFFIXES = {
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".markdown": "markdown",
    ".json": "json",
    ".sarif": "sarif",
    ".csv": "csv",
    ".txt": "text",
}
"""Suffix of a report to its format."""

_DATABASE_SUFFIXES = frozenset((".sqlite", ".sqlite3", ".db"))
_LOG_SUFFIXES = ("-wal", "-shm", "-journal")
_DESCRIPTIONS = "database_description"
_SQLITE_URL = "sqlite:///"


def format_of(
    out: Path | None, given: str | None, suffixes: Mapping[str, str], default: str
) -> str:
    """Return the format of an output: the one given, else the suffix's, else the default.

    The default is for standard output and for names without a suffix.

    Raises InputError for a suffix that names no format.
    """
    if given is not None:
        return given
    suffix = "" if out is None else out.suffix.lower()
    if not suffix:
        return default
    if suffix not in suffixes:
        raise InputError(
            f"the suffix '{suffix}' names no format; known are {', '.join(suffixes)}; "
            "or name the format with --format",
            path=out,
            field="--out",
        )
    return suffixes[suffix]


class TableFormat(StrEnum):
    """How scores are written."""

    JSONL = "jsonl"
    CSV = "csv"
    TSV = "tsv"
    PARQUET = "parquet"


def scores_format(out: Path | None, given: str | None) -> str:
    """Return the format of a scores file; see `format_of`.

    Raises InputError where a table has no file to go to, and MissingExtraError for Parquet
    without pyarrow.
    """
    from clausewise.datasets import require_parquet

    file_format = format_of(out, given, SCORE_SUFFIXES, "jsonl")
    if file_format != "jsonl" and out is None:
        raise InputError("a table needs --out: it is written when all is scored", field="--format")
    if file_format == "parquet":
        require_parquet("writing")
    return file_format


def check_results_file(out: Path | None, resume: bool, inputs: Mapping[str, Path | None]) -> None:
    """Refuse before the work begins what would fail at its end.

    Raises InputError where no file can be written at `out`, and with `resume` where there is no
    file to resume, or an input is a pipe, of which nothing can be read twice.
    """
    if out is not None:
        check_output(out)
    if not resume:
        return
    if out is None:
        raise InputError("needs --out: only a file can be resumed", field="--resume")
    if is_stream(out):
        raise InputError(
            "only a file can be resumed, no device or pipe", path=out, field="--resume"
        )
    for option, path in inputs.items():
        if path is not None and is_stream(path):
            message = f"{option} is a pipe or a device, which cannot be read again; use a file"
            raise InputError(message, path=path, field="--resume")


def refuse_overwriting(
    out: Path | None, inputs: Mapping[str, Path | str | None], *, beside: tuple[str, ...] = ()
) -> None:
    """Raise InputError where writing `out` would overwrite or replace one of the inputs.

    Parameters
    ----------
    out
        The file or folder that `--out` names; None: standard output, which overwrites nothing.
    inputs
        The option or argument to what it names: a file, a folder, or a database's URL.
    beside
        What is appended to `out` for the other files that are written, such as ``.partial``.
    """
    if out is None:
        return
    real = Path(os.path.realpath(out))
    others = [] if is_stream(out) else [real.with_name(real.name + suffix) for suffix in beside]
    written = [out, *others]
    for option, named in inputs.items():
        source = _local_path(named)
        if source is None or not source.exists():
            continue
        for target in written:
            if _overwrites(target, source):
                raise InputError(
                    f"--out {target} would overwrite the input {option} {source}; "
                    "choose another name"
                )


def _local_path(named: Path | str | None) -> Path | None:
    return Path(named.removeprefix(_SQLITE_URL)) if isinstance(named, str) else named


def _overwrites(target: Path, source: Path) -> bool:
    """Whether writing the target destroys the source, through links and other spellings too."""
    if target.is_char_device():
        return False  # a terminal is both read from and written to
    if target.exists() and target.samefile(source):
        return True
    real_target, real_source = target.resolve(), source.resolve()
    if not target.is_file() and real_target in (real_source, *real_source.parents):
        return True
    # What stands beside a database belongs to it: its log, and the descriptions of its columns.
    if source.is_file() and _belongs_to(real_target, real_source):
        return True
    if not source.is_dir() or real_source not in real_target.parents:
        return False
    # Of a folder of inputs only what is read there is in danger: databases, a detector's files.
    is_detector = (source / "manifest.json").is_file()
    return is_detector or (real_target.is_file() and _is_read_in_databases(real_target))


def _belongs_to(target: Path, database: Path) -> bool:
    return database.suffix.lower() in _DATABASE_SUFFIXES and (
        target in [database.with_name(database.name + suffix) for suffix in _LOG_SUFFIXES]
        or (target.is_file() and target.parent == database.with_name(_DESCRIPTIONS))
    )


def _is_read_in_databases(file: Path) -> bool:
    name = file.name.lower()
    return file.parent.name == _DESCRIPTIONS or any(
        name.endswith(suffix + log) for suffix in _DATABASE_SUFFIXES for log in ("", *_LOG_SUFFIXES)
    )
