"""Names cut into tokens: at marks, capitals and digits, and run-together ones by known words."""

from __future__ import annotations

import re
from functools import lru_cache
from math import log

from clausewise.naming.abbreviations import expansions
from clausewise.question.english import is_word, word_ranks

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_SHORTEST_SPLIT = 5
"""Letters from which a token may be two words run together."""
_LONGEST_SPLIT = 40
_MOST_PIECES = 4
_SHORT_WORDS = frozenset({"id", "no", "of", "by", "is", "to", "in", "at", "on", "per", "has"})
"""Words of two or three letters that names are put together with."""
_COST_OF_KNOWN = 4.0
_COST_OF_ABBREVIATION = 9.0
_FIRST_RANK = 20
"""Added to each rank: the very first words are no likelier in names than others."""


def tokens_of_name(name: str, known: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Cut a name into lower-case tokens: `farmname_KM2` to (farm, name, km, 2).

    `known` are words of the same schema, by which run-together names are split first.
    """
    found: list[str] = []
    for part in _PART.findall(name):
        found.extend(split_token(part.lower(), known))
    return tuple(found)


@lru_cache(maxsize=50_000)
def split_token(token: str, known: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Split words run together (`petid` to (pet, id)); any other token comes back alone."""
    unsplit = not _SHORTEST_SPLIT <= len(token) <= _LONGEST_SPLIT or not token.isascii()
    if unsplit or not token.isalpha() or is_word(token) or token in known or expansions(token):
        return (token,)
    pieces = _cheapest(token, known)
    return pieces if pieces is not None and len(pieces) <= _MOST_PIECES else (token,)


def _cheapest(token: str, known: frozenset[str]) -> tuple[str, ...] | None:
    """Return the likeliest pieces that are all words or abbreviations, at least one a word."""
    best: list[tuple[float, tuple[str, ...]] | None] = [(0.0, ())]
    for end in range(1, len(token) + 1):
        found: tuple[float, tuple[str, ...]] | None = None
        for start in range(max(0, end - 20), end):
            before, piece = best[start], token[start:end]
            cost = _cost(piece, known)
            if before is None or cost is None or len(before[1]) >= _MOST_PIECES:
                continue
            candidate = (before[0] + cost, (*before[1], piece))
            if found is None or candidate < found:
                found = candidate
        best.append(found)
    last = best[-1]
    if last is None or not any(len(piece) > 2 and is_word(piece) for piece in last[1]):
        return None
    return last[1]


def _cost(piece: str, known: frozenset[str]) -> float | None:
    """Return what a piece costs, None where it is nothing that names are made of."""
    if len(piece) > 2 and piece in known:
        return _COST_OF_KNOWN
    if piece in _SHORT_WORDS:
        return _COST_OF_KNOWN
    rank = word_ranks().get(piece)
    if rank is not None and len(piece) > 2:
        return log(rank + _FIRST_RANK)
    if len(piece) > 1 and expansions(piece):
        return _COST_OF_ABBREVIATION
    return None
