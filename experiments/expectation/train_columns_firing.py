"""How often the signals on columns fire on gold queries of databases that the model has not seen.

    python -m experiments.expectation.train_columns_firing DATA --out RESULTS [--weights FILE]

The weights, by default the packaged ones, are those of a run of `train_columns` without `--all`.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import numpy as np

from clausewise.databases import Schema
from clausewise.errors import ClausewiseError, NotApplicable
from clausewise.expectation.columns_model import model_of, packaged_model
from clausewise.signals.base import SIGNALS
from clausewise.signals.context import Context
from clausewise.signals.loading import load_signals
from clausewise.sql import parse
from clausewise.types import Case, Finding
from experiments.expectation.pairs import Pair, fold_of, read_pairs
from experiments.expectation.train_columns import FOLDS
from experiments.expectation.train_columns_data import chosen

NAMES = ("unexpected_column", "unused_mention")


class SchemaOnly:
    """Stands for a database of which only the schema is there."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def find_value(self, _value: str) -> tuple[()]:
        """Return that a text stands nowhere."""
        return ()


def findings(pair: Pair) -> Iterator[tuple[str, Finding | None]]:
    """Yield (signal, finding) of a gold query; None once for each signal that applies."""
    case = Case(
        question_id=pair.question_id,
        db_id=pair.db_id,
        question=pair.question,
        evidence=pair.evidence,
        predicted_sql=pair.sql,
    )
    query = parse(pair.sql, pair.dialect, pair.schema.names())
    if not query.selects or query.unknown_names:
        return
    context = Context(case, query, SchemaOnly(pair.schema), None)  # type: ignore[arg-type]
    for name in NAMES:
        try:
            found = list(SIGNALS[name].function(case, context))
        except NotApplicable:
            continue
        yield name, None
        for finding in found:
            yield name, finding


def main() -> None:
    made = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("data", type=Path, help="folder of the benchmarks")
    made.add_argument("--weights", type=Path, help="weights to measure; default: the packaged ones")
    made.add_argument("--out", type=Path, required=True, help="folder of the results")
    made.add_argument("--show", type=int, default=0, help="findings to print of each source")
    arguments = made.parse_args()
    load_signals()
    model = packaged_model()
    if arguments.weights is not None:
        with np.load(arguments.weights, allow_pickle=False) as saved:
            model = model_of(dict(saved))
    looked: Counter[tuple[str, str]] = Counter()
    fired: dict[tuple[str, str], set[str]] = defaultdict(set)
    reasons: Counter[tuple[str, str, str]] = Counter()
    shown: Counter[tuple[str, str]] = Counter()
    pairs = [pair for pair in chosen(read_pairs(arguments.data)) if not fold_of(pair.group, FOLDS)]
    with patch("clausewise.expectation.columns.packaged_model", lambda: model):
        for pair in pairs:
            try:
                for name, finding in findings(pair):
                    key = (pair.source, name)
                    if finding is None:
                        looked[key] += 1
                        continue
                    fired[key].add(pair.question_id)
                    reasons[*key, finding.reason] += 1
                    if shown[key] < arguments.show:
                        shown[key] += 1
                        print(
                            name,
                            finding.reason,
                            pair.question,
                            pair.evidence,
                            pair.sql,
                            finding.message,
                            sep="\n  ",
                        )
            except ClausewiseError:
                continue
    rows = [
        {
            "source": source,
            "signal": name,
            "golds": count,
            "fired": len(fired[source, name]),
            "rate": round(len(fired[source, name]) / count, 4),
            **{
                reason: reasons[source, name, reason]
                for reason in ("selected", "filtered", "grouped", "ordered", "table")
            },
        }
        for (source, name), count in sorted(looked.items())
    ]
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / "columns_gold_firing.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    for row in rows:
        print(row)


if __name__ == "__main__":
    main()
