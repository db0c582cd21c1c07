"""Are equivalent pairs proved, and is no difference reported between them?

    python -m experiments.equivalent_pairs.run DATA --out RESULTS

Pairs are gold queries of `spider_train` beside themselves after one or two rewrites that are sound
by construction (`making.py`), and correct predictions whose text is not their gold's. Every pair of
the first kind is also run on its database and on made-up instances, whether it is proved or not.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import median
from time import perf_counter

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from clausewise.databases import DatabaseProtocol, open_database
from clausewise.equivalence import Conventions
from clausewise.equivalence.generation import InstanceGenerator
from clausewise.equivalence.outcomes import InstanceRunner, database_outcomes, difference
from clausewise.equivalence.plan import make_plan
from clausewise.equivalence.proof import Proof, prove
from clausewise.errors import NotComparable
from clausewise.sql import same_statement
from experiments.common.results import Cell, Row, grouped, number, read_csv, write_csv, write_report
from experiments.common.tables import markdown_table
from experiments.common.workspace import Workspace, parser
from experiments.equivalent_pairs.making import RULES

TRAIN = "spider_train"
SEED = 0
EACH = 30
"""Pairs of one rewrite at most."""
COMPOSED = 400
"""Pairs of two rewrites at most."""
INSTANCES = 40
TWO = "two rewrites"


@dataclass(frozen=True)
class Made:
    """One query and its rewriting."""

    kind: str
    path: Path
    gold: str
    other: str


def made_pairs(data: Path) -> list[Made]:
    """Return the pairs, a few of each rewrite and then pairs of two, the same in every run."""
    lines = (data / TRAIN / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    found = dict.fromkeys((line["db_id"], line["gold_sql"]) for line in map(json.loads, lines))
    golds = list(found)
    random.Random(SEED).shuffle(golds)
    pairs = [pair for name in RULES for pair in islice(_rewritten(data, golds, (name,)), EACH)]
    dice = random.Random(SEED)
    seen: set[tuple[str, str]] = set()
    while len(seen) < COMPOSED:
        first, second = dice.sample(sorted(RULES), 2)
        for pair in _rewritten(data, dice.sample(golds, 60), (first, second)):
            if (pair.gold, pair.other) not in seen:
                seen.add((pair.gold, pair.other))
                pairs.append(pair)
                break
    return pairs


def _rewritten(data: Path, golds: list[tuple[str, str]], rules: tuple[str, ...]) -> Iterator[Made]:
    for db_id, gold in golds:
        path = data / TRAIN / "databases" / db_id / f"{db_id}.sqlite"
        other = rewriting(gold, rules, path)
        if other is not None and same_statement(other) != same_statement(gold):
            yield Made(TWO if len(rules) > 1 else rules[0], path, gold, other)


def rewriting(gold: str, rules: tuple[str, ...], path: Path) -> str | None:
    """Return a query after some rewrites; None where one does not fit it."""
    schema = opened(path).schema
    try:
        tree = sqlglot.parse_one(gold, read="sqlite")
    except SqlglotError:
        return None
    for rule in rules:
        if not isinstance(tree, exp.Select):
            return None
        found = RULES[rule](tree, schema)
        if found is None:
            return None
        tree = found
    return tree.sql("sqlite")


_opened: dict[Path, DatabaseProtocol] = {}


def opened(path: Path) -> DatabaseProtocol:
    """Return a database, opened once."""
    if path not in _opened:
        _opened[path] = open_database(path)
    return _opened[path]


def timed_proof(
    first: str, second: str, database: DatabaseProtocol, rules: Conventions
) -> tuple[Proof | None, float]:
    """Return the proof and the milliseconds it took."""
    begin = perf_counter()
    proof = prove(first, second, database.schema, conventions=rules)
    return proof, (perf_counter() - begin) * 1000


def told_apart(pair: Made, rules: Conventions) -> bool | None:
    """Whether the database or an instance tells a pair apart; None where a query does not run."""
    plan = make_plan((pair.gold, pair.other), opened(pair.path))
    a, b = database_outcomes(plan)
    if a.failure or b.failure:
        return None
    if difference(a, b, rules) is not None:
        return True
    with closing(InstanceRunner(plan)) as runner:
        for instance in islice(InstanceGenerator(plan, SEED).instances(), INSTANCES):
            a, b = runner.outcomes(instance)
            if difference(a, b, rules) is not None:
                return True
    return False


def measured(pairs: list[Made], samples: list[dict[str, str]]) -> list[dict[str, Cell]]:
    """Return a row of figures for each kind of pair; what must be read goes to `samples`."""
    rules = Conventions()
    figures: dict[str, dict[str, float]] = {}
    times: dict[str, list[float]] = {}
    for pair in pairs:
        try:
            apart = told_apart(pair, rules)
        except NotComparable:
            apart = None
        if apart is None:
            continue
        proof, spent = timed_proof(pair.gold, pair.other, opened(pair.path), rules)
        row = figures.setdefault(pair.kind, {"pairs": 0, "proved": 0, "told_apart": 0})
        row["pairs"] += 1
        row["proved"] += proof is not None
        row["told_apart"] += apart
        times.setdefault(pair.kind, []).append(spent)
        if apart or proof is None:
            samples.append(
                {"kind": pair.kind, "db": pair.path.stem, "gold": pair.gold, "other": pair.other}
                | {"apart": str(apart), "proved": str(proof is not None)}
            )
    everything = [spent for of in times.values() for spent in of]
    print(f"{len(everything)} pairs, {median(everything):.1f} ms a proof at the median")
    return [
        {"kind": kind, **{name: int(value) for name, value in row.items()}}
        for kind, row in figures.items()
    ]


def prediction_rows(workspace: Workspace) -> Iterator[dict[str, Cell]]:
    """Yield, for each system, how many correct predictions of another text than gold are proved."""
    for name in workspace.benchmarks:
        folder = workspace.data / name
        questions = map(json.loads, (folder / "questions.jsonl").open(encoding="utf-8"))
        golds = {line["question_id"]: (line["db_id"], line["gold_sql"]) for line in questions}
        for path in sorted((folder / "predictions").glob("*.jsonl")):
            labels = map(json.loads, (folder / "labels" / path.name).open(encoding="utf-8"))
            correct = {line["question_id"]: line for line in labels}
            counts = {"pairs": 0, "proved": 0, "incorrect": 0, "incorrect_proved": 0}
            for case in map(json.loads, path.open(encoding="utf-8")):
                db_id, gold = golds[case["question_id"]]
                label = correct.get(case["question_id"])
                if label is None or not label["executable"] or label["vacuous"]:
                    continue
                if same_statement(gold) == same_statement(case["predicted_sql"]):
                    continue
                database = opened(folder / "databases" / db_id / f"{db_id}.sqlite")
                proof, _ = timed_proof(gold, case["predicted_sql"], database, Conventions())
                prefix = "" if label["correct"] else "incorrect_"
                counts["pairs" if label["correct"] else "incorrect"] += 1
                counts[f"{prefix}proved"] += proof is not None
            yield {"benchmark": name, "system": path.stem, **counts}


def _share(rows: list[Row], part: str, whole: str) -> str:
    total = sum(number(row, whole) for row in rows)
    return f"{sum(number(row, part) for row in rows) / total:.3f}" if total else "-"


def _sum(rows: list[Row], column: str) -> str:
    return str(int(sum(number(row, column) for row in rows)))


def _incorrect(rows: list[Row]) -> list[str]:
    return [_sum(rows, "incorrect"), _sum(rows, "incorrect_proved")]


def report(folder: Path) -> str:
    """Return the figures as tables."""
    made = read_csv(folder / "made.csv")
    lines = [
        [name, _sum(rows, "pairs"), _share(rows, "proved", "pairs"), _sum(rows, "told_apart")]
        for name, rows in [("all", made), *((row["kind"].replace("_", " "), [row]) for row in made)]
    ]
    parts = ["# Results\n\n## Gold queries beside their rewriting\n"]
    parts.append(markdown_table(["rewrite", "pairs", "proved", "told apart"], lines))
    parts.append("## Predictions whose text is not their gold's\n")
    found = grouped(read_csv(folder / "predictions.csv"), "benchmark")
    parts.append(
        markdown_table(
            ["benchmark", "correct", "of these proved", "incorrect", "of these proved"],
            [
                [name, _sum(rows, "pairs"), _share(rows, "proved", "pairs"), *_incorrect(rows)]
                for (name,), rows in found.items()
            ],
        )
    )
    return "\n".join(parts)


def main() -> None:
    """Write the CSV files and the report; pairs to read go to a file outside of the results."""
    arguments = parser(__doc__)
    arguments.add_argument("--samples", type=Path, help="file for pairs to read, as JSONL")
    parsed = arguments.parse_args()
    workspace = Workspace.of(parsed)
    samples: list[dict[str, str]] = []
    write_csv(workspace.out / "made.csv", measured(made_pairs(workspace.data), samples))
    if parsed.samples:
        text = "".join(json.dumps(sample) + "\n" for sample in samples)
        parsed.samples.write_text(text, encoding="utf-8")
    write_csv(workspace.out / "predictions.csv", list(prediction_rows(workspace)))
    write_report(workspace.out, report)


if __name__ == "__main__":
    main()
