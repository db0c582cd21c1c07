"""Repairs of names that the schema does not know."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

from clausewise.correction.rules.base import RepairContext, repair
from clausewise.sql.edits import TextEdit
from clausewise.sql.model import Select, Source
from clausewise.text import quote_name
from clausewise.types import Finding

SIMILAR = 0.8
"""Similarity in [0, 1] from which a name is taken for another one that was misspelt."""
AHEAD = 0.1
"""How much more similar it must be than the next one."""


@repair(
    name="known_name",
    description="Writes the name of the schema that an unknown name is nearest to.",
    settles={"unknown_name": ("not_in_schema",)},
)
def known_name(finding: Finding, context: RepairContext) -> tuple[TextEdit, ...]:
    """Replace an unknown table, column or qualifier where only one known name can be meant."""
    place = finding.clause.start, finding.clause.end
    for unknown in context.query.unknown_names:
        if (unknown.place.start, unknown.place.end) != place:
            continue
        for select in context.query.selects:
            for source in select.sources:
                if (source.piece.start, source.piece.end) == place:
                    return _table(source, context)
        if unknown.name == "*":
            return ()
        around = context.select_around(*place)
        if around is None:
            return ()
        return _column(unknown.name, unknown.qualifier, place, around, context)
    return ()


def _table(source: Source, context: RepairContext) -> tuple[TextEdit, ...]:
    name = _nearest(source.name, (table.name for table in context.schema.tables))
    end = _end_of_name(source.piece.text, source.name)
    if name is None or end is None:
        return ()
    start = source.piece.start
    edits = [TextEdit(start, start + end, context.written_name(name))]
    if source.alias == source.name:  # columns are qualified by the name itself
        edits += [
            TextEdit(use.piece.start, use.piece.start + length, context.written_name(name))
            for select in context.query.selects
            for use in select.columns
            if use.qualifier is not None and use.qualifier.casefold() == source.name.casefold()
            if (length := _end_of_name(use.piece.text, use.qualifier)) is not None
        ]
    return tuple(edits)


def _column(
    name: str,
    qualifier: str | None,
    place: tuple[int, int],
    select: Select,
    context: RepairContext,
) -> tuple[TextEdit, ...]:
    """Return the edit of a column: another qualifier for a known name, else the nearest name."""
    sources = [source for source in select.sources if source.table is not None]
    if len(sources) != len(select.sources):
        return ()
    held = [
        (source, column.name)
        for source in sources
        if (table := context.schema.table(source.table or "")) is not None
        for column in table.columns
    ]
    owners = [(source, own) for source, own in held if own.casefold() == name.casefold()]
    if qualifier is not None and owners:
        if len(owners) != 1:
            return ()
        source, own = owners[0]
        written = (context.written_name(part) for part in (source.alias, own))
        return (TextEdit(*place, ".".join(written)),)
    if qualifier is not None:
        held = [
            (source, own) for source, own in held if source.alias.casefold() == qualifier.casefold()
        ]
    nearest = _nearest(name, (own for _, own in held))
    owners = [(source, own) for source, own in held if own == nearest]
    if nearest is None or len(owners) != 1:
        return ()
    before = f"{context.written_name(owners[0][0].alias)}." if qualifier is not None else ""
    return (TextEdit(*place, before + context.written_name(nearest)),)


def _nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that alone is very like another, None where there is none."""
    folded = _folded(name)
    scores = sorted(
        ((SequenceMatcher(None, folded, _folded(one)).ratio(), one) for one in set(known)),
        key=lambda scored: (-scored[0], scored[1]),
    )
    if not scores or scores[0][0] < SIMILAR:
        return None
    if len(scores) > 1 and scores[0][0] - scores[1][0] < AHEAD:
        return None
    return scores[0][1]


def _folded(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def _end_of_name(text: str, name: str) -> int | None:
    """Return where the name ends with which a text begins, quoted or not."""
    for written in (name, quote_name(name), f"`{name}`", f"[{name}]"):
        if text[: len(written)].casefold() == written.casefold():
            return len(written)
    return None
