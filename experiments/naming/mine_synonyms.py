"""Which words did people replace by synonyms, and which words name which columns?

    python -m experiments.naming.mine_synonyms DATA

Spider-Syn's questions are Spider's with the words of the schema replaced by synonyms; both are
paired by database and query, and the words that differ in the same place are counted, once for
each database. Written to `clausewise/question/wordlists/en/mined_synonyms.json` are the pairs of
English words that enough databases share and of which neither stands for too many others, and
all pairs to `results/synonyms.csv`.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import defaultdict
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path

from clausewise.inflection import singular
from clausewise.question.english import is_word
from clausewise.question.tokens import tokens_of, word_set, word_table
from experiments.naming.pairs import Pair, pairs_of

PACKAGE = Path(__file__).parents[2] / "clausewise"
TARGET = PACKAGE / "question" / "wordlists" / "en" / "mined_synonyms.json"
RESULTS = Path(__file__).parent / "results"
FEWEST = 2
"""Databases in which a pair must be seen."""
MOST_PARTNERS = 8
"""Words that one word may stand for; what stands for more means nothing by itself."""
MOST_WORDS = 2
"""Words on each side of a replaced stretch."""
SOURCE = "Spider-Syn (MIT) against Spider train (CC BY-SA 4.0)"

Found = dict[tuple[str, str], set[str]]


def main() -> None:
    """Write the pairs and their counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    found = count(parser.parse_args().data)
    rows = sorted(((len(places), *pair) for pair, places in found.items()), reverse=True)
    shared = [row for row in rows if row[0] >= FEWEST]
    partners: dict[str, set[str]] = defaultdict(set)
    for _, first, second in shared:
        partners[first].add(second)
        partners[second].add(first)
    pairs = sorted(
        [first, second]
        for _, first, second in shared
        if max(len(partners[first]), len(partners[second])) <= MOST_PARTNERS
    )
    lines = ",\n  ".join(json.dumps(pair) for pair in pairs)
    TARGET.write_text(
        f'{{\n "source": {json.dumps(SOURCE)},\n "groups": [\n  {lines}\n ]\n}}\n', encoding="utf-8"
    )
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / "synonyms.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["databases", "word", "other"])
        writer.writerows(rows)
    print(f"{len(rows)} pairs, {len(pairs)} kept")


def count(data: Path) -> Found:
    """Return the databases in which each pair of words was replaced, in alphabetical order."""
    originals: dict[tuple[str, str], list[Pair]] = defaultdict(list)
    for pair in pairs_of(data / "spider_train" / "questions.jsonl"):
        originals[pair.db_id, _plain(pair.gold_sql)].append(pair)
    found: Found = defaultdict(set)
    for pair in pairs_of(data / "gold_pairs" / "spider_syn_train" / "questions.jsonl"):
        same = originals.get((pair.db_id, _plain(pair.gold_sql)), [])
        if same:
            nearest = max(same, key=lambda other: (_likeness(pair, other), other.question))
            for first, second in replaced(nearest, pair):
                found[min(first, second), max(first, second)].add(pair.db_id)
    return found


def _plain(sql: str) -> str:
    return " ".join(sql.lower().split())


def _likeness(one: Pair, other: Pair) -> float:
    return SequenceMatcher(None, one.words, other.words, autojunk=False).ratio()


def replaced(original: Pair, changed: Pair) -> Iterator[tuple[str, str]]:
    """Yield words of two questions that stand in the same place and differ."""
    before, after = (
        [token.word for token in tokens_of(pair.question) if token.is_word]
        for pair in (original, changed)
    )
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    if matcher.ratio() < 0.5:
        return
    for tag, start, end, first, last in matcher.get_opcodes():
        same_length = end - start == last - first <= MOST_WORDS
        if tag == "replace" and same_length:
            for one, other in zip(before[start:end], after[first:last], strict=True):
                if _may_name(one) and _may_name(other) and one != other:
                    yield singular(one), singular(other)


def _may_name(word: str) -> bool:
    """Whether a word may name a thing: an English word, and none by which questions are read."""
    return len(word) > 2 and is_word(word) and word not in _grammar()


def _grammar() -> frozenset[str]:
    asking = frozenset(word for key in word_table("asking") for word in word_set("asking", key))
    kept = word_set("asking", "everything") | word_set("asking", "requests_or_nouns")
    kept |= word_set("asking", "count_heads") | word_set("asking", "verbs_after_noun")
    return asking - kept | word_set("function", "words")


if __name__ == "__main__":
    main()
