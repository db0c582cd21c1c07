"""The same question in the words of other people."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping

from experiments.robustness.naming import plural, synonym
from experiments.robustness.words import PHRASES, STOP_WORDS, SYNONYMS

_QUOTED = re.compile(r"(``.*?''|\"[^\"]*\"|(?<!\w)'[^']*'(?!\w))")
_NOUNS = sorted({*SYNONYMS, *map(plural, SYNONYMS)}, key=len, reverse=True)
_PHRASES = dict(PHRASES)
_FIRST_FIT = re.compile(
    r"\b(?:" + "|".join(re.escape(old) for old, _ in PHRASES) + "|" + "|".join(_NOUNS) + r")\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z]+")
_TOKEN = re.compile(r"\s+|\bat (?:least|most)\b|[\w'-]+|[^\w\s]")
_NEIGHBOURS = dict(zip("qwertyuiopasdfghjklzxcvbnm", "wertyuioipsdfghjkkxcvbnmn", strict=False))
SHARE_OF_TYPOS = 6
"""One word of so many that may be misspelt is; at least one of a question."""
LEAST_LETTERS = 4
KEYWORDS = (("how many", "number"), ("how much", "amount"), ("for each", "per"))
_ORDERS = (
    (re.compile(r"^(.{12,}?)[,;]? (for each .+?)([.?!]*)$", re.I), "{1}, {0}"),
    (re.compile(r"^(for each .+?), (.+?)([.?!]*)$", re.I), "{1} {0}"),
    (re.compile(r"^(.{12,}?)[,;]? ((?:sorted|ordered|arranged|in) (?:by|\w+ order).*?)([.?!]*)$",
                re.I), "{1}: {0}"),
    (re.compile(r"^(what (?:is|are) the [\w ,]+?) of ((?:the|all|every) [\w' -]+?)([.?!]*)$", re.I),
     "of {1}, {0}"),
    (re.compile(r"^((?:show|list|give|find|return|display)(?: me)? .+?) of "
                r"((?:the|all|every|each) .+?)([.?!]*)$", re.I), "of {1}, {0}"),
    (re.compile(r"^((?!in |on |at )(?:(?!\b(?:who|whose|that|which|where|with|not)\b).){12,}?) "
                r"((?:in|on|at) .+?)([.?!]*)$", re.I), "{1}, {0}"),
)  # fmt: skip
_TWO_SENTENCES = re.compile(r"^(.+?[.?!]) +(.+?[.?!])$")


def in_synonyms(question: str, evidence: str, _: random.Random) -> str:
    """Return the question with other phrases and nouns; what is quoted or a name stays.

    So do the words of the evidence, which explains this question's terms.
    """
    explained = f" {' '.join(_WORD.findall(evidence.lower()))} "

    def other(found: re.Match[str]) -> str:
        old = found.group()
        if f" {old.lower()} " in explained:
            return old
        new = _PHRASES.get(old.lower())
        if old[0].isupper() and found.start() and not found.string[: found.start()].isspace():
            return old
        if new is None:
            return synonym(old)
        return new[0].upper() + new[1:] if old[0].isupper() else new

    return _outside_quotes(question, lambda text: _FIRST_FIT.sub(other, text))


def in_other_order(question: str, _evidence: str, _: random.Random) -> str:
    """Return the question with its clauses in another order, where it has more than one."""
    text = question.strip()
    two = _TWO_SENTENCES.match(text)
    if two and "``" not in text:
        return f"{two.group(2)} {two.group(1)}"
    for pattern, order in _ORDERS:
        found = pattern.match(text)
        if found is None:
            continue
        moved = order.format(_decapitalized(found[1]), _decapitalized(found[2]))
        if all(quoted in moved for quoted in _QUOTED.findall(text)):
            return moved[0].upper() + moved[1:] + found[3]
    return question


def as_keywords(question: str, _evidence: str, _: random.Random) -> str:
    """Return the question as somebody types it into a search field."""

    def kept(text: str) -> str:
        for old, new in KEYWORDS:
            text = re.sub(rf"\b{old}\b", new, text, flags=re.IGNORECASE)
        tokens = [token for token in _TOKEN.findall(text) if token not in {"?", "!", ".", ","}]
        return "".join(token for token in tokens if token.lower() not in STOP_WORDS)

    words = re.sub(r"\s+", " ", _outside_quotes(question, kept)).strip()
    return words[:1].lower() + words[1:] if words[1:2].islower() else words


def with_typing_errors(question: str, _evidence: str, chance: random.Random) -> str:
    """Return the question with some words misspelt; what is quoted, a name or a number is not."""
    parts = _QUOTED.split(question)
    places = [
        (number, found.start(), found.end())
        for number, part in enumerate(parts)
        if number % 2 == 0
        for found in _WORD.finditer(part)
        if found.end() - found.start() >= LEAST_LETTERS and found.group().islower()
    ]
    if not places:
        return question
    wrong = chance.sample(places, max(1, len(places) // SHARE_OF_TYPOS))
    for number, start, end in sorted(wrong, reverse=True):
        part = parts[number]
        parts[number] = part[:start] + misspelt(part[start:end], chance) + part[end:]
    return "".join(parts)


def misspelt(word: str, chance: random.Random) -> str:
    """Return a word with two letters exchanged, one left out, one twice, or a neighbouring key."""
    place = chance.randrange(1, len(word) - 1)
    letter, following = word[place], word[place + 1]
    forms = (
        following + letter,
        following,
        letter + letter + following,
        _NEIGHBOURS.get(letter, letter) + following,
    )
    return word[:place] + chance.choice(forms) + word[place + 2 :]


Reworded = Callable[[str, str, random.Random], str]
"""Of a question, its evidence (empty where there is none) and chance."""
PERTURBATIONS: Mapping[str, Reworded] = {
    "synonyms in questions": in_synonyms,
    "other order": in_other_order,
    "keywords": as_keywords,
    "typing errors": with_typing_errors,
}


def _outside_quotes(question: str, change: Callable[[str], str]) -> str:
    parts = _QUOTED.split(question)
    return "".join(change(part) if n % 2 == 0 else part for n, part in enumerate(parts))


def _decapitalized(text: str) -> str:
    opens = text.split(" ", 1)[0].lower() in _OPENING_WORDS
    return text[:1].lower() + text[1:] if opens else text


_OPENING_WORDS = frozenset(
    word
    for line in (
        "what which who how when where show list give find return display for in on from at after",
        "before during among between please of tell count state name calculate provide identify",
    )
    for word in line.split()
)
