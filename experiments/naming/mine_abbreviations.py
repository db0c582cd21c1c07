"""Which words do the abbreviations in columns' names stand for? Learned from their descriptions.

    python -m experiments.naming.mine_abbreviations DATA

For each token of a name that is no English word, the words of the column's label and description
whose letters it abbreviates are counted, once for each database, and written to
`results/abbreviations.csv`: of how many databases with the token in a described column, how many
descriptions say the meaning, their share (precision), and whether the packaged list has it. Few
columns are abbreviated and described: what is learned goes into the list by hand.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter, defaultdict
from pathlib import Path

from clausewise.naming.abbreviations import abbreviation_strength, expansions
from clausewise.naming.splitting import tokens_of_name
from clausewise.question.english import is_word
from clausewise.question.words import question_words
from experiments.naming.pairs import schemas_of

RESULTS = Path(__file__).parent / "results"
LEAST_STRENGTH = 0.6
Counts = dict[str, Counter[str]]


def main() -> None:
    """Write the meanings and their counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    meanings, seen = count(parser.parse_args().data)
    rows: list[list[object]] = []
    listed = 0
    for token in sorted(seen):
        known = {word for item in expansions(token) for word in item.words}
        ranked = sorted(meanings[token].items(), key=lambda item: (-item[1], item[0]))
        for word, times in ranked[:3]:
            share = f"{times / seen[token]:.2f}"
            listed += word in known
            rows.append([token, word, seen[token], times, share, int(word in known)])
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / "abbreviations.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["token", "meaning", "databases", "agreeing", "precision", "listed"])
        writer.writerows(rows)
    print(f"{len(rows)} meanings met, {listed} of them listed; {len(seen)} tokens seen")


def count(data: Path) -> tuple[Counts, Counter[str]]:
    """Return how many databases give each token each meaning, and how many have it described."""
    meanings: Counts = defaultdict(Counter)
    seen: Counter[str] = Counter()
    counted: set[tuple[str, str]] = set()
    found: set[tuple[str, str, str]] = set()
    for _, db_id, tables in schemas_of(data):
        for table in tables.values():
            for column in table["columns"]:
                text = f"{column.get('label') or ''} {column.get('description') or ''}"
                words = [word for word in dict.fromkeys(question_words(text)) if is_word(word)]
                for token in set(tokens_of_name(column["name"])) if words else ():
                    if is_word(token) or not token.isalpha() or len(token) < 2:
                        continue
                    if (db_id, token) not in counted:
                        counted.add((db_id, token))
                        seen[token] += 1
                    for word in words:
                        strength = abbreviation_strength(token, word)
                        if strength >= LEAST_STRENGTH and (db_id, token, word) not in found:
                            found.add((db_id, token, word))
                            meanings[token][word] += 1
    return meanings, seen


if __name__ == "__main__":
    main()
