"""How much of a question and of its evidence is read: all of them, but for texts that no one asks.

The readers take time in proportion to the text, and signals look up every word and number that
they find; a megabyte would take minutes for each case.
"""

from __future__ import annotations

LONGEST_QUESTION = 20_000
"""Characters of a question that are read; those of the benchmarks have up to 500."""
LONGEST_EVIDENCE = 50_000
"""Characters of evidence that are read."""
LONG = 2_000
"""Characters of a text from which on little that is made of it is kept: it takes much memory."""
_LONGEST_WORD = 100


def bounded(text: str, most: int) -> str:
    """Return at most the first `most` characters, up to the end of a word.

    >>> bounded("how many patients", 10)
    'how many'
    """
    if len(text) <= most:
        return text
    end = max(text.rfind(blank, most - _LONGEST_WORD, most) for blank in " \n\t")
    return text[: end if end > 0 else most]
