"""What do comparatives and superlatives of questions stand for in the queries people wrote?

    python -m experiments.naming.mine_wordings DATA

`results/comparatives.csv`: words before or after a number of the question, with the operator that
the gold query has before that number: of how many databases, and the share of the most frequent
operator. `results/superlatives.csv`: each superlative, with the words of the column by which the
gold query ranks (ORDER BY with LIMIT, MAX, MIN) and the end that it takes. The packaged lists in
`clausewise/question/wordlists/en` are completed by hand from both.
"""

from __future__ import annotations

import argparse
import csv
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from clausewise.errors import ClausewiseError
from clausewise.naming.expansion import read_name
from clausewise.question.reading import QuestionReading
from clausewise.sql import parse
from clausewise.sql.model import Query
from experiments.naming.pairs import Pair, gold_pairs

RESULTS = Path(__file__).parent / "results"
OPERATORS = (">", ">=", "<", "<=", "=")
LONGEST = 4
"""Words of a phrase beside a number."""
FEWEST = 3
"""Databases that must use a wording."""
_SUPERLATIVE = re.compile(r"[a-z]{2,}est|most [a-z]+|least [a-z]+|best|worst|last|recent|top")

Places = dict[tuple[str, ...], set[str]]


def main() -> None:
    """Write both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    operators: Places = defaultdict(set)
    ends: Places = defaultdict(set)
    for pair in gold_pairs(parser.parse_args().data):
        try:
            query = parse(pair.gold_sql)
        except ClausewiseError:
            continue
        for phrase, operator in beside_numbers(pair, query):
            operators[phrase, operator].add(pair.db_id)
        for word, column, end in ranked(pair, query):
            ends[word, column, end].add(pair.db_id)
    write("comparatives", ("phrase", "operator"), operators)
    write("superlatives", ("superlative", "column", "end"), ends)


def beside_numbers(pair: Pair, query: Query) -> Iterator[tuple[str, str]]:
    """Yield phrases beside a number with the operator before the same number in the query."""
    reading = QuestionReading(pair.question, "")
    compared = {
        f"{literal.value}": comparison.operator
        for select in query.selects
        for comparison in select.comparisons
        for literal in comparison.literals
        if comparison.operator in OPERATORS and not comparison.negated
    }
    for number in reading.numbers:
        operator = compared.get(f"{number.value:g}")
        if operator is None:
            continue
        before, after = reading.lowers[: number.token], reading.lowers[number.after :]
        for size in range(1, LONGEST + 1):
            if len(before) >= size and all(word.isalpha() for word in before[-size:]):
                yield " ".join(before[-size:]) + " #", operator
            if len(after) >= size and all(word.isalpha() for word in after[:size]):
                yield "# " + " ".join(after[:size]), operator


def ranked(pair: Pair, query: Query) -> Iterator[tuple[str, str, str]]:
    """Yield each superlative of a question that has one, with the column and end of its query."""
    said = sorted(set(_SUPERLATIVE.findall(" ".join(pair.words))))
    if len(said) != 1:
        return
    for select in query.selects:
        items = select.order_by[:1] if select.limit is not None else ()
        for item in items:
            if item.column is not None:
                end = "highest" if item.descending else "lowest"
                yield from ((said[0], word, end) for word in read_name(item.column.name).words)
        for aggregate in select.aggregates:
            if aggregate.function in ("max", "min"):
                end = "highest" if aggregate.function == "max" else "lowest"
                for use in aggregate.columns:
                    yield from ((said[0], word, end) for word in read_name(use.name).words)


def write(name: str, header: Sequence[str], found: Places) -> None:
    """Write how many databases have each wording, and the share of the reading in the last place.

    Rows are in the order of the databases that use a wording.
    """
    totals: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for key, places in found.items():
        totals[key[:-1]] |= places
    rows: list[tuple[str, ...]] = []
    for key, places in found.items():
        all_places = len(totals[key[:-1]])
        if all_places >= FEWEST:
            share = f"{len(places) / all_places:.2f}"
            rows.append((*key, str(all_places), str(len(places)), share))
    rows.sort(key=lambda row: (-len(totals[row[: len(header) - 1]]), row[: len(header)]))
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*header, "databases", "agreeing", "share"])
        writer.writerows(rows)
    print(f"{name}: {len(rows)} rows")


if __name__ == "__main__":
    main()
