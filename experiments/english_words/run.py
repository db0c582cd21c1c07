"""Collect the English words of questions: what tells a question in English from others.

    python -m experiments.english_words.run DATA --out clausewise/question/wordlists/en/common.json

Reads the questions of `spider_train` and `gold_pairs`; no labels, predictions or queries.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from clausewise.question.tokens import tokens_of

FEWEST_DATABASES = 4
"""A word of fewer databases may be a name or a term of one domain."""


def common_words(questions: Iterable[tuple[str, str]]) -> list[str]:
    """Return the words that the questions of several databases have, from (database, question).

    Only words in small letters outside quotation marks count: others may be values.
    """
    databases: dict[str, set[str]] = defaultdict(set)
    for database, question in questions:
        for token in tokens_of(question):
            plain = token.text.isalpha() and token.text.isascii() and token.text == token.lower
            if plain and not token.quoted:
                databases[token.word].add(database)
    return sorted(word for word, found in databases.items() if len(found) >= FEWEST_DATABASES)


def questions_of(data: Path) -> Iterable[tuple[str, str]]:
    """Yield (database, question) of every gold pair."""
    for path in (data / "spider_train/questions.jsonl", *sorted(data.glob("gold_pairs/*/*.jsonl"))):
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            yield record["db_id"], record["question"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    words = common_words(questions_of(options.data))
    options.out.write_text(json.dumps({"words": words}, indent=0) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
