"""Other queries for the question of `check`, as options or from a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from clausewise.errors import InputError

CandidateOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--candidate", help="Another query for the question; may be given often."),
]
CandidatesOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--candidates",
        help="A file of other queries for the question: a JSON list, or one a line as JSON.",
    ),
]


def read_candidates_of_one(
    single: list[str] | None, path: Path | None
) -> tuple[str | dict[str, str | None], ...]:
    """Return the queries of `--candidate` and those of the file, in this order.

    The file holds one JSON list, or one JSON value a line: SQL text, or an object with it as
    `sql` and perhaps the name of the `system` that it comes from.

    Raises InputError where the file cannot be used.
    """
    queries: list[str | dict[str, str | None]] = list(single or ())
    if path is None:
        return tuple(queries)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", path=path, field="--candidates") from None
    for line, value in _values(text, path):
        sql, system = value, None
        if isinstance(value, dict):
            sql, system = value.get("sql"), value.get("system")
        if not isinstance(sql, str) or not isinstance(system, str | None):
            message = "a candidate must be SQL text, or an object with SQL text as 'sql'"
            message += " and perhaps text as 'system'"
            raise InputError(message, path=path, line=line, field="--candidates")
        queries.append(sql if system is None else {"sql": sql, "system": system})
    return tuple(queries)


def _values(text: str, path: Path) -> list[tuple[int | None, object]]:
    try:
        whole = json.loads(text)
    except RecursionError:
        raise InputError("nested too deeply", path=path, field="--candidates") from None
    except ValueError:
        pass
    else:
        return [(None, value) for value in (whole if isinstance(whole, list) else [whole])]
    values: list[tuple[int | None, object]] = []
    for line, chunk in enumerate(text.split("\n"), start=1):
        if not chunk.strip():
            continue
        try:
            values.append((line, json.loads(chunk)))
        except (ValueError, RecursionError):
            raise InputError("not JSON", path=path, line=line, field="--candidates") from None
    return values
