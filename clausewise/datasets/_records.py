"""Records of files, before their fields mean a thing.

A record that cannot be read keeps its place in the list with its problem, so that every reader
decides by itself whether one bad line is a problem of that line or of the file.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clausewise.datasets._json import decode, finite, to_json_object
from clausewise.errors import CaseError

_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a file.

    `line` counts from 1: the line on which the record starts, in Parquet the row. `problem` is
    set where the record cannot be used; `fields` then holds what could be read.
    """

    line: int
    fields: dict[str, Any] = field(default_factory=dict)
    problem: CaseError | None = None


class RecordParser:
    """Parses JSON and notices what Python takes for JSON and other programs do not.

    Those are the constants NaN, Infinity and -Infinity, and halves of surrogate pairs.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.constants: list[str] = []
        self.decoder = json.JSONDecoder(parse_constant=self._constant, parse_float=finite)

    def _constant(self, name: str) -> float:
        self.constants.append(name)
        return float(name)

    def decode(self, text: str) -> Any:
        """Return the one value in a text; json.JSONDecodeError where it is no JSON."""
        return decode(text, self.decoder)

    def line(self, text: str, line: int) -> Record | None:
        """Return the record of one line of JSONL; None where the line is blank."""
        stripped = text.strip(" \t\r")
        if not stripped:
            return None
        try:
            return self.record(self.decode(stripped), line, stripped)
        except json.JSONDecodeError as error:
            self.constants.clear()
            return Record(line, problem=CaseError(why_no_json(error), path=self.path, line=line))

    def record(self, value: Any, line: int, source: str) -> Record:
        """Return the value decoded from `source` as a record; it must be a clean object."""
        constants = self.constants[:]
        self.constants.clear()
        if not isinstance(value, dict):
            message = "not a JSON object: fields in braces are needed"
            return Record(line, problem=CaseError(message, path=self.path, line=line))
        if not constants and not _SURROGATE_ESCAPE.search(source):
            return Record(line, value)
        clean = to_json_object(value)
        if clean == value and not constants:
            return Record(line, value)
        changed = (key for key in value if clean.get(key) != value[key])
        spoilt = next(changed, None)
        message = "holds half of a surrogate pair, which is not text"
        if constants:
            message = f"{constants[0]} is not JSON; write null"
            holding = (key for key in value if _holds_as_text(value[key], constants[0]))
            spoilt = spoilt or next(holding, None)
        return Record(line, clean, CaseError(message, path=self.path, line=line, field=spoilt))


def _holds_as_text(value: Any, constant: str) -> bool:
    """Whether a value is the text of a list or an object that no parser took."""
    return isinstance(value, str) and value[:1] in ("[", "{") and constant in value


def why_no_json(error: json.JSONDecodeError) -> str:
    """Return what is said of a text that is no JSON."""
    return f"not JSON: {error.msg} at column {error.colno}"
