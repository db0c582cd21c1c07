"""Where results go: never over an input, and in the format that the file's suffix names."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from clausewise.errors import InputError

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
    written = [out, *(out.with_name(out.name + suffix) for suffix in beside)]
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
    if target.exists() and target.samefile(source):
        return True
    real_target, real_source = target.resolve(), source.resolve()
    if not target.is_file() and real_target in (real_source, *real_source.parents):
        return True
    if not source.is_dir() or real_source not in real_target.parents:
        return False
    # Of a folder of inputs only what is read there is in danger: databases, a detector's files.
    is_detector = (source / "manifest.json").is_file()
    return is_detector or (target.is_file() and target.suffix.lower() in _DATABASE_SUFFIXES)
