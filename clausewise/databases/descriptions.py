"""Descriptions of columns that come with a database, in BIRD's `database_description/*.csv`."""

from __future__ import annotations

import csv
import io
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

logger = logging.getLogger(__name__)

FOLDER_NAME = "database_description"


@dataclass(frozen=True, slots=True)
class ColumnDescription:
    """What one line of a description file says; None where its field is empty."""

    label: str | None
    description: str | None
    value_description: str | None


def read_descriptions(folder: Path) -> Mapping[tuple[str, str], ColumnDescription]:
    """Read every CSV file of a folder: (table, column), both casefolded, to the description.

    A file is named after its table, in any case. What cannot be read as CSV, pipes and devices
    among it, is left out with a warning in the log; a folder that does not exist holds no
    descriptions.
    """
    found: dict[tuple[str, str], ColumnDescription] = {}
    if not folder.is_dir():
        return found
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        logger.warning("left out the column descriptions in '%s': %s", folder, error)
        return found
    for path in paths:
        if path.suffix.casefold() != ".csv":
            continue
        if not path.is_file():
            # Opening a pipe would wait for somebody who writes into it.
            logger.warning("left out the column descriptions in '%s': not a regular file", path)
            continue
        table = path.stem.strip().casefold()
        try:
            for record in _records(path):
                column = record.get("original_column_name")
                if column:
                    found[table, column.casefold()] = ColumnDescription(
                        record.get("column_name"),
                        record.get("column_description"),
                        record.get("value_description"),
                    )
        except (OSError, csv.Error) as error:
            logger.warning("left out the column descriptions in '%s': %s", path, error)
    return found


def _records(path: Path) -> list[dict[str, str]]:
    """Return the lines of a CSV file as header to value, both trimmed, empty values left out."""
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("cp1252", errors="replace")
    lines = csv.reader(io.StringIO(text, newline=""))
    header = [name.strip().casefold() for name in next(lines, [])]
    return [
        {name: cell.strip() for name, cell in zip(header, line, strict=False) if cell.strip()}
        for line in lines
    ]
