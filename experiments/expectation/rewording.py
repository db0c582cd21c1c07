"""Other wordings of training questions, so that not only the wording of two benchmarks is known.

General English alone decides: what is left out is what people leave out of a terse request, and
the synonyms are those of any thesaurus. Which question is reworded and how follows from its text.
"""

from __future__ import annotations

import hashlib
import re

TERSE = frozenset(
    {"what", "which", "is", "are", "was", "were", "the", "a", "an", "of", "show", "list", "find"}
    | {"give", "me", "return", "please", "tell", "display", "provide", "do"}
    | {"does", "did", "there", "that", "have", "has", "their", "its", "his", "her", "us", "you"}
    | {"can", "could", "would", "what's", "out"}
)
SYNONYMS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"how many", ("number of", "count of", "what is the number of", "count the")),
    (r"(?:the )?(?:total )?number of", ("how many", "count of", "# of", "amount of")),
    (r"average", ("avg", "mean", "on average", "typical")),
    (r"maximum", ("max", "highest", "largest", "top")),
    (r"minimum", ("min", "lowest", "smallest")),
    (r"highest|largest|greatest|biggest", ("top", "biggest", "maximum", "greatest", "largest")),
    (r"lowest|smallest", ("least", "minimum", "smallest", "bottom")),
    (r"(?:for|of|in) each", ("per", "by", "for every", "broken down by")),
    (r"each", ("every", "the respective")),
    (r"different|distinct|unique", ("distinct", "unique", "different", "various")),
    (r"(?:more|greater|higher|larger) than", ("over", "above", "exceeding", "in excess of")),
    (r"(?:less|fewer|lower|smaller) than", ("under", "below", "short of")),
    (r"at least", ("no less than", "a minimum of")),
    (r"most recent", ("latest", "newest", "last")),
    (r"earliest", ("oldest", "first")),
    (r"total", ("sum of", "overall", "combined")),
    (r"percentage|percent", ("pct", "share", "% of", "proportion")),
    (r"in descending order(?: of| by)?", ("highest first by", "from high to low", "desc by")),
    (r"in ascending order(?: of| by)?", ("lowest first by", "from low to high", "asc by")),
    (r"(?:sorted|ordered) by", ("in order of", "arranged by", "sort by")),
    (r"(?:do|does|did) not have", ("lack", "have no", "are without", "don't have")),
    (r"show|list|find|give me|return|display", ("get", "I need", "pull up", "which are", "need")),
)
SHARE = 0.4
"""Share in [0, 1] of the questions that are reworded."""


def reworded(question: str) -> str | None:
    """Return another wording of a question; None for those that are kept as they are."""
    digest = hashlib.blake2b(f"reworded {question}".encode(), digest_size=16).digest()
    if digest[0] >= 256 * SHARE:
        return None
    text = question
    for at, (pattern, choices) in enumerate(SYNONYMS):
        chosen = choices[(digest[3] + at) % len(choices)]
        if digest[4 + at % 12] % 3:
            text = re.sub(rf"\b(?:{pattern})\b", chosen, text, count=1, flags=re.IGNORECASE)
    if digest[1] % 2:
        kept = [word for word in text.split() if word.lower().strip(",") not in TERSE]
        text = " ".join(kept) if len(kept) > 1 else text
        text = text.rstrip(" ?.") if digest[2] % 2 else text
    if digest[2] % 3 == 0:
        text = text.lower()
    return None if text == question else text
