"""Write the list of English words by which names are split and abbreviations are told from words.

    python -m experiments.naming.word_list DATA FREQUENCIES

`FREQUENCIES` is `frequency_dictionary_en_82_765.txt` of the package symspellpy (MIT): words in the
order of their frequency, spelling checked against SCOWL. Among its short ones are many
abbreviations (`qty`, `avg`); one of up to four letters is kept where people use it in questions
about several databases. Words that questions use and the dictionary lacks are added at the end.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Collection, Mapping
from pathlib import Path

from experiments.naming.pairs import gold_pairs

PACKAGE = Path(__file__).parents[2] / "clausewise"
TARGET = PACKAGE / "question" / "wordlists" / "en" / "words.txt"
KEPT = 45_000
"""Words of the dictionary, the most frequent first."""
SHORT = 4
"""Letters up to which a word must be used in questions."""
IN_QUESTIONS = {1: 99_999, 2: 20, 3: 2, 4: 2}
"""Databases whose questions must use a word of so many letters."""
FOR_ABBREVIATIONS = 10
"""The same for a short word that is listed as an abbreviation."""
ADDED = 4
"""Databases whose questions must use a word that the dictionary lacks."""


def is_used(word: str, used: Mapping[str, set[str]], abbreviations: Collection[str]) -> bool:
    """Whether the questions about enough databases use a short word."""
    least = IN_QUESTIONS[len(word)]
    if word in abbreviations:
        least = max(least, FOR_ABBREVIATIONS)
    return len(used.get(word, ())) >= least


def main() -> None:
    """Write the list."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("frequencies", type=Path)
    arguments = parser.parse_args()
    used: dict[str, set[str]] = defaultdict(set)
    for pair in gold_pairs(arguments.data):
        for word in set(pair.words):
            used[word].add(pair.db_id)
    file = PACKAGE / "naming" / "data" / "abbreviations.json"
    abbreviations = json.loads(file.read_text(encoding="utf-8"))
    lines = arguments.frequencies.read_text(encoding="utf-8-sig").splitlines()
    known = [line.split()[0] for line in lines]
    words = [
        word
        for word in known[:KEPT]
        if word.isalpha() and (len(word) > SHORT or is_used(word, used, abbreviations))
    ]
    listed = set(known)
    added = sorted(
        (word for word, places in used.items() if len(places) >= ADDED and word not in listed),
        key=lambda word: (-len(used[word]), word),
    )
    words += [word for word in added if word.isalpha() and len(word) > SHORT]
    TARGET.write_text("\n".join(words) + "\n", encoding="utf-8")
    print(f"{len(words)} words, {len(added)} added from questions")


if __name__ == "__main__":
    main()
