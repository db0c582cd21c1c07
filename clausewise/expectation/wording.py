"""A question and its evidence as features: n-grams of general words, everything else masked.

What a query should look like follows from how a question is worded, not from what its database is
about. So words that only some databases have are masked, as are numbers, years and quoted text;
a word that is capitalized inside a sentence, and not known, is a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from functools import lru_cache
from itertools import pairwise

from clausewise.inflection import singular
from clausewise.question.bounds import LONGEST_EVIDENCE, LONGEST_QUESTION, bounded

NUMBER, YEAR, QUOTED, NAME, OTHER = "<number>", "<year>", "<quoted>", "<name>", "<other>"
_MARKS = frozenset({NUMBER, YEAR, QUOTED, NAME, OTHER})
_BEGIN, _END = "<s>", "</s>"
_EVIDENCE_SPACE = "e:"
_COUNTED = (NUMBER, YEAR, QUOTED, NAME, "and", "or", ",", "?", ".")
"""What of it there is is counted."""
_MOST_COUNTED = 4
_WORDS_OF_A_STEP, _MOST_STEPS = 4, 10
_TOKEN = re.compile(
    r"""(?P<quoted>(?<![\w'])(?:"[^"]{1,200}"|''[^']{1,200}''|\u201c[^\u201d]{1,200}\u201d"""
    r"""|\u2018[^\u2019]{1,200}\u2019|`[^`]{1,200}`|'[^']{1,200}'(?!\w)))"""
    r"""|(?P<number>\d+(?:[.,:/-]\d+)*(?:%|[^\W\d_]{1,2}\b)?)"""
    r"""|(?P<word>[^\W\d_]+(?:['\u2019][^\W\d_]+)?)"""
    r"""|(?P<mark>[?.!;,:()%])"""
)
_EVIDENCE_TOKEN = re.compile(
    r"""(?P<quoted>(?<![\w'])(?:"[^"]{1,200}"|'[^']{1,200}'(?!\w)|`[^`]{1,200}`))"""
    r"""|(?P<number>\d+(?:[.,:/-]\d+)*)"""
    r"""|(?P<word>[^\W\d_]+)"""
    r"""|(?P<mark>[<>!=]=|<>|[=<>*/%+\-(;])"""
)
_POSSESSIVE = re.compile(r"['\u2019]s?$")
_NOT = re.compile(r"(\w+)n['\u2019]t", re.IGNORECASE)
_VERBS = {"ca": "can", "wo": "will", "sha": "shall"}
"""What is left of a verb before `n't`, where it is not the verb itself."""
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_SENTENCE_END = frozenset("?.!;:")


@lru_cache(maxsize=20_000)
def folded(word: str) -> str:
    """Return a word in lower case, in the singular, without a possessive."""
    return singular(_POSSESSIVE.sub("", word.lower()))


def read_words(text: str) -> list[tuple[str, bool]]:
    """Return the words of a question, each with whether it is capitalized inside a sentence.

    Numbers, years and quoted text are their placeholders, marks themselves.
    """
    found: list[tuple[str, bool]] = []
    first = True
    for match in _TOKEN.finditer(bounded(text, LONGEST_QUESTION)):
        kind, token = match.lastgroup, match.group()
        if kind == "word":
            capital = not first and token[0].isupper()
            contracted = _NOT.fullmatch(token)
            if contracted:
                verb = contracted[1].lower()
                found += [(_VERBS.get(verb, verb), capital), ("not", False)]
            else:
                found.append((folded(token), capital))
        elif kind == "number":
            found.append((YEAR if _YEAR.fullmatch(token) else NUMBER, False))
        else:
            found.append((QUOTED if kind == "quoted" else token, False))
        first = kind == "mark" and token in _SENTENCE_END
    return found


def read_evidence(text: str) -> list[str]:
    """Return the words and operators of an evidence, numbers and quoted text as placeholders."""
    found = []
    for match in _EVIDENCE_TOKEN.finditer(bounded(text, LONGEST_EVIDENCE)):
        kind, token = match.lastgroup, match.group()
        if kind == "word":
            found.append(folded(token))
        elif kind == "number":
            found.append(YEAR if _YEAR.fullmatch(token) else NUMBER)
        else:
            found.append(QUOTED if kind == "quoted" else token)
    return found


def masked(words: Sequence[tuple[str, bool]], known: Set[str]) -> list[str]:
    """Return the words with those that are not known masked, runs of one mask as one."""
    titled = sum(capital for _, capital in words) * 2 > len(words)
    found: list[str] = []
    for word, capital in words:
        if word in known or word in _MARKS or not word[0].isalpha():
            token = word
        else:
            token = NAME if capital and not titled else OTHER
        if token not in (NAME, OTHER) or not found or found[-1] != token:
            found.append(token)
    return found


def known_share(words: Iterable[tuple[str, bool]], known: Set[str]) -> tuple[float, int]:
    """Return the share in [0, 1] of a question's words that are known, and how many words it has.

    Numbers, quoted text and what is capitalized inside a sentence count for nothing.
    """
    plain = [word for word, capital in words if not capital and word[0].isalpha()]
    return sum(word in known for word in plain) / max(len(plain), 1), len(plain)


def features(
    words: Sequence[tuple[str, bool]], evidence: Sequence[str], known: Set[str]
) -> set[str]:
    """Return the features of a question and its evidence."""
    tokens = masked(words, known)
    found = _ngrams([_BEGIN, *tokens, _END])
    found |= {f"#{mark}={min(tokens.count(mark), _MOST_COUNTED)}" for mark in _COUNTED}
    found.add(f"#words={min(len(words) // _WORDS_OF_A_STEP, _MOST_STEPS)}")
    if evidence:
        found.add("e#")
        said = masked([(word, False) for word in evidence], known)
        found |= {_EVIDENCE_SPACE + token for token in said}
        found |= {f"{_EVIDENCE_SPACE}{a} {b}" for a, b in pairwise(said)}
    return found


def _ngrams(tokens: Sequence[str]) -> set[str]:
    """Return the runs of one to three tokens."""
    pairs = [f"{a} {b}" for a, b in pairwise(tokens)]
    return {*tokens, *pairs, *(f"{a} {b}" for a, b in zip(pairs, tokens[2:], strict=False))}
