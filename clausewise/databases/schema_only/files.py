"""Reading and writing files of schemas."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from clausewise.databases.model import Schema
from clausewise.databases.protocol import DatabaseProtocol
from clausewise.databases.schema_only.database import SchemaDatabase
from clausewise.errors import InputError
from clausewise.text import visible
from clausewise.writing import write_text

logger = logging.getLogger(__name__)

_MOST_SHOWN = 5


def read_schema_file(path: str | Path, dialect: str | None = None) -> dict[str, SchemaDatabase]:
    """Return the schemas of a file, by `db_id` in the file's order, as databases without data.

    Parameters
    ----------
    path
        JSON that `clausewise index --schema-out` wrote; `tables.json` of Spider or BIRD; or a
        script of CREATE TABLE statements, such as a dump: one schema, named after the file.
    dialect
        The SQL dialect of a script or of the queries, by sqlglot's name; by default what the
        file says, else `sqlite`.

    Raises
    ------
    InputError
        Where the file cannot be read, is of none of these kinds, or defines no table; with the
        line and the field where they are known. What is left out of a script is logged.
    """
    path = Path(path).expanduser()
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from None
    except UnicodeDecodeError:
        raise InputError("is not UTF-8", path=path) from None
    if text.lstrip()[:1] in ("{", "["):
        found = _from_json(_content(text, path), path, dialect)
    else:
        found = {path.stem: (_from_script(text, path, dialect or "sqlite"), dialect or "sqlite")}
    return {
        name: SchemaDatabase(schema, name, used, target=str(path))
        for name, (schema, used) in found.items()
    }


def write_schema_file(path: str | Path, databases: Iterable[DatabaseProtocol]) -> int:
    """Write the schemas of databases to a JSON file, whole or not at all; returns their number.

    Keys that were inferred from the data, and descriptions, are written too; no data is.
    """
    from clausewise.databases.schema_only.document import SchemaDocument, SchemaRecord

    records = tuple(SchemaRecord.of(database) for database in databases)
    write_text(Path(path), SchemaDocument(databases=records).text())
    return len(records)


def _content(text: str, path: Path) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"is no JSON: {error.msg}", path=path, line=error.lineno) from None
    except RecursionError:
        raise InputError("is nested too deeply", path=path) from None


def _from_json(content: Any, path: Path, dialect: str | None) -> dict[str, tuple[Schema, str]]:
    from clausewise.databases.schema_only.document import FORMAT, VERSION, SchemaDocument
    from clausewise.databases.schema_only.tables_json import TablesEntry, is_tables_json

    found: dict[str, tuple[Schema, str]] = {}
    if is_tables_json(content):
        for number, record in enumerate(content):
            try:
                entry = TablesEntry.model_validate(record)
                schema = entry.to_schema()
            except ValueError as error:
                raise _invalid(error, path, f"[{number}]") from None
            _add(found, entry.db_id, schema, dialect or "sqlite", path)
        return found
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(
            "is no file of schemas: expected what `clausewise index --schema-out` writes, "
            "Spider's or BIRD's tables.json, or CREATE TABLE statements",
            path=path,
        )
    if content.get("version") != VERSION:
        raise InputError(
            f"this clausewise reads version {VERSION} only", path=path, field="version"
        )
    try:
        document = SchemaDocument.model_validate(content)
    except ValidationError as error:
        raise _invalid(error, path) from None
    for one in document.databases:
        _add(found, one.db_id, one.to_schema(), dialect or one.dialect, path)
    return found


def _add(
    found: dict[str, tuple[Schema, str]], name: str, schema: Schema, dialect: str, path: Path
) -> None:
    if name in found:
        raise InputError(f"'{name}' is given twice", path=path, field="db_id")
    if not schema.tables:
        raise InputError(f"the schema of '{name}' has no table", path=path, field="tables")
    found[name] = (schema, dialect)


def _invalid(error: ValueError, path: Path, before: str = "") -> InputError:
    if not isinstance(error, ValidationError):
        return InputError(str(error), path=path, field=before or None)
    first = error.errors(include_url=False)[0]
    place = before
    for part in first["loc"]:
        place += f"[{part}]" if isinstance(part, int) else f".{part}" if place else str(part)
    return InputError(first["msg"], path=path, field=place or None)


def _from_script(text: str, path: Path, dialect: str) -> Schema:
    from clausewise.databases.schema_only.script import schema_of
    from clausewise.sql.definitions import read_definitions

    definitions = read_definitions(text, dialect)
    shown = list(definitions.left_out.items())
    for name, reason in shown[:_MOST_SHOWN]:
        logger.warning("%s: left out %s: %s", path, visible(name), visible(reason))
    if len(shown) > _MOST_SHOWN:
        logger.warning("%s: left out %d more", path, len(shown) - _MOST_SHOWN)
    if definitions.skipped:
        counts = ", ".join(f"{n} {verb}" for verb, n in sorted(definitions.skipped.items()))
        logger.info("%s: statements that define no table: %s", path, visible(counts))
    if not definitions.tables:
        raise InputError("defines no table (expected CREATE TABLE statements)", path=path)
    return schema_of(definitions)
