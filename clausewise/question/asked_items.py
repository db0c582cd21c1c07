"""What a whole question asks for: the things asked for in its sentences, put together."""

from __future__ import annotations

from dataclasses import replace

from clausewise.question.asked import Asked, AskedKind
from clausewise.question.sentences import SentenceReader
from clausewise.question.tokens import Token


def asked_of(tokens: tuple[Token, ...]) -> tuple[Asked, ...]:
    """Return what a question asks for, in order."""
    sentences: dict[int, list[Token]] = {}
    for token in tokens:
        sentences.setdefault(token.sentence, []).append(token)
    found: list[Asked] = []
    for sentence in sentences.values():
        reader = SentenceReader(tuple(sentence))
        reader.read()
        found = _joined(found, reader)
    return tuple(_with_owner(found, at) for at in range(len(found)))


def _with_owner(found: list[Asked], at: int) -> Asked:
    """Give `its name` the things asked for before as what it is of."""
    item = found[at]
    if not item.refers_back or item.tail:
        return item
    return replace(item, tail=tuple(word for other in found[:at] for word in other.words))


def _joined(before: list[Asked], reader: SentenceReader) -> list[Asked]:
    """Add a sentence's items; "Which city ...? Show its name." asks for one thing, not two."""
    items = reader.items
    if not any(item.kind is not AskedKind.GROUP for item in items):
        return before + [item for item in items if item.kind is AskedKind.GROUP]
    if reader.adds:
        return before + items
    if not reader.requests:
        return before + items
    replaced = [AskedKind.WHICH, AskedKind.PERSON, AskedKind.TIME, AskedKind.PLACE]
    if not reader.refers_back:
        replaced.append(AskedKind.PLAIN)
    if any(_counts(item) for item in items):
        replaced.append(AskedKind.COUNT)
    return [
        replace(item, required=False) if item.kind in replaced else item for item in before
    ] + items


def _counts(item: Asked) -> bool:
    return item.kind is AskedKind.COUNT or item.words in (("number",), ("count",))
