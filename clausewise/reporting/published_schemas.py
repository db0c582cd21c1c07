"""The schemas of a report's databases as text, for a correction step that cannot open them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from clausewise.errors import DatabaseError
from clausewise.preparation import describe_schema

if TYPE_CHECKING:
    from clausewise.databases import Databases


def schema_texts(db_ids: Iterable[str], databases: Databases) -> dict[str, str]:
    """Return db_id to the text of `describe_schema`; one that cannot be read is left out.

    The text holds example values. Where a schema is too long for a prompt, columns that are no
    keys are left out, and it says how many.
    """
    texts = {}
    for db_id in db_ids:
        try:
            texts[db_id] = describe_schema(databases.get(db_id))
        except DatabaseError:  # its cases are unchecked, and say why
            continue
    return texts
