"""What a whole question asks for: the things asked for in its sentences, put together."""

from __future__ import annotations

from dataclasses import replace

from clausewise.question.asked import Asked, AskedKind
from clausewise.question.sentences import SentenceReader
from clausewise.question.tokens import Token, word_set

_LEAD = ("on", "average")


def asked_of(tokens: tuple[Token, ...]) -> tuple[Asked, ...]:
    """Return what a question asks for, in order."""
    sentences: dict[int, list[Token]] = {}
    for token in tokens:
        sentences.setdefault(token.sentence, []).append(token)
    found: list[Asked] = []
    demanded: dict[AskedKind, list[int]] = {}
    readers = [_read(tuple(sentence)) for sentence in sentences.values()]
    if len(readers) == 1 and not readers[0].items and _is_terse(readers[0]):
        readers[0].read_keywords()
        readers[0].items = [replace(item, terse=True) for item in readers[0].items]
    for reader in readers:
        for kind in _answered(reader):
            for place in demanded.pop(kind, ()):
                found[place] = replace(found[place], required=False)
        for item in reader.items:
            if item.required:
                demanded.setdefault(item.kind, []).append(len(found))
            found.append(item)
    return tuple(_with_owner(found, at) for at in range(len(found)))


def _is_terse(reader: SentenceReader) -> bool:
    """Whether there are only keywords, `avg price per category`, and no one who says something."""
    return not any(
        lower == ":" or lower in word_set("asking", "speakers") for lower in reader.lowers
    )


def _read(sentence: tuple[Token, ...]) -> SentenceReader:
    reader = SentenceReader(sentence)
    reader.read()
    if reader.items and reader.lowers[: len(_LEAD)] == _LEAD:
        # "On average, how long ..." says the same as "how long ... on average".
        first = reader.items[0]
        reader.items[0] = replace(first, tail=(*_LEAD, *first.tail))
    return reader


def _with_owner(found: list[Asked], at: int) -> Asked:
    """Give `its name` the things asked for before as what it is of."""
    item = found[at]
    if not item.refers_back or item.tail:
        return item
    return replace(item, tail=tuple(word for other in found[:at] for word in other.words))


def _answered(reader: SentenceReader) -> list[AskedKind]:
    """Return what kinds of things need not be shown, since the sentence says what to show of them.

    "Which city ...? Show its name." asks for one thing, not two.
    """
    items = reader.items
    if reader.adds or not reader.requests:
        return []
    if all(item.kind is AskedKind.GROUP for item in items):
        return []
    kinds = [AskedKind.WHICH, AskedKind.PERSON, AskedKind.TIME, AskedKind.PLACE]
    if not reader.refers_back:
        kinds.append(AskedKind.PLAIN)
    if any(_counts(item) for item in items):
        kinds.append(AskedKind.COUNT)
    return kinds


def _counts(item: Asked) -> bool:
    return item.kind is AskedKind.COUNT or item.words in (("number",), ("count",))
