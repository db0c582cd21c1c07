"""Train the verifier, measure it on databases that it never saw, and write its weights.

    python -m experiments.verifier.train DATA --out experiments/verifier/results \\
        --weights clausewise/expectation/packaged/verifier.npz --jobs 2

Learned from are the gold pairs of DATA with errors made in them, and the corpus, whose databases
are built first. It is measured on the databases of DATA that have labeled predictions (`world`,
`spider`, `bird`), of which nothing is learned, and on the corpus's own for reporting. Every eighth
domain for learning is left out for the calibration.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from clausewise.databases import open_database
from clausewise.expectation.columns_inputs import FIRST_WORD
from clausewise.expectation.verifier_inputs import VerifierInputs
from clausewise.types import Case
from experiments.common.data import BENCHMARKS, WORLD, Benchmark
from experiments.common.parallel import map_tasks
from experiments.common.results import Cell, write_csv, write_report
from experiments.expectation.pairs import fold_of, read_pairs
from experiments.expectation.train_columns_store import write
from experiments.verifier.batches import batch_of, runs
from experiments.verifier.examples import (
    CLAUSES,
    MUTANTS_OF_WORLD,
    Labeled,
    few_of_each,
    inputs_of,
    of_cases,
    of_pairs,
    vocabularies,
)
from experiments.verifier.network import Verifier
from experiments.verifier.report import report
from experiments.verifier.store import arrays_of
from experiments.world.corpus.build import build
from experiments.world.corpus.pairs import (
    DOMAINS,
    LEARN,
    REPORT,
    corpus_pairs,
    disputed,
    domain_files,
)
from experiments.world.measures import area, recall_at

EPOCHS, BATCH, RATE = 6, 128, 2e-3
DROPPED = 0.05
"""Share of words that are made unknown while learning."""
WEIGHT_OF_WORLD = 6.0
"""What the queries of a domain weigh, beside those of a database of pairs."""
WEIGHT_OF_MUTANT = 0.5
"""What an error made by a rule weighs in the world, beside one that somebody wrote."""
SMOOTHING, CLAUSE_LOSS = 0.04, 0.3
CALIBRATION_FOLDS = 8
TASK = 400
Floats = NDArray[np.float64]


@dataclass(slots=True)
class Example:
    """One labeled query as numbers."""

    labeled: Labeled
    inputs: VerifierInputs

    @property
    def size(self) -> int:
        """Tokens and units."""
        return len(self.inputs.tokens) + len(self.inputs.keywords)


@dataclass(frozen=True)
class _Reading:
    """Reads labeled queries; what it is sent to a process with is small."""

    vocabulary: Mapping[str, int]
    keywords: Mapping[str, int]

    def __call__(self, items: Sequence[Labeled]) -> list[VerifierInputs | None]:
        return [inputs_of(item, self.vocabulary, self.keywords) for item in items]


def examples_of(items: Sequence[Labeled], reading: _Reading, jobs: int) -> list[Example]:
    """Return the queries that can be read, in their order."""
    parts = [items[at : at + TASK] for at in range(0, len(items), TASK)]
    made = [one for part in map_tasks(reading, parts, jobs) for one in part]
    return [Example(item, one) for item, one in zip(items, made, strict=True) if one is not None]


def domains(use: str) -> list[Labeled]:
    """Return the labeled queries of the corpus's domains, with mutants where they are learned."""
    found: list[Labeled] = []
    most = MUTANTS_OF_WORLD if use == LEARN else 0
    with tempfile.TemporaryDirectory() as folder:
        for path in domain_files(use):
            domain = yaml.safe_load(path.read_text(encoding="utf-8"))
            place = Path(folder) / f"{path.stem}.sqlite"
            cases, problems = build(domain, place)
            for problem in problems:
                print(f"left out: {problem}", flush=True)
            cases = [case for case in cases if not _is_disputed(path.stem, case)]
            schema = open_database(place).schema
            found += of_cases(cases, schema, f"{WORLD}/{path.stem}", most)
    return found


def _is_disputed(db_id: str, case: Mapping[str, Any]) -> bool:
    return (db_id, int(case["question_id"].split("-")[-2])) in disputed()


def predictions(benchmark: Benchmark) -> Iterator[tuple[str, list[Labeled]]]:
    """Yield each set of labeled predictions on databases of which nothing is learned."""
    databases = benchmark.databases
    for name in benchmark.system_names():
        labels = benchmark.labels(name, relaxed=benchmark.name == WORLD)
        found = []
        for case in benchmark.cases(name):
            if isinstance(case, Case) and case.question_id in labels:
                record = {
                    "question": case.question,
                    "evidence": case.evidence,
                    "predicted_sql": case.predicted_sql,
                    "correct": labels[case.question_id],
                    "clause": case.model_extra.get("clause") if case.model_extra else None,
                }
                schema = databases.get(case.db_id).schema
                found += of_cases([record], schema, f"{benchmark.name}/{case.db_id}", 0)
        yield name, found


def weights_of(examples: Sequence[Example]) -> Floats:
    """Return `[n]` what each example counts, with mean 1.

    A database counts by the root of its examples, right and wrong ones the same in sum, within the
    world and within the rest.
    """
    sizes = Counter(one.labeled.group for one in examples)
    is_world = np.array([one.labeled.is_world for one in examples])
    mutated = np.array([one.labeled.mutated for one in examples])
    correct = np.array([one.labeled.correct for one in examples])
    found = np.array([sizes[one.labeled.group] ** -0.5 for one in examples])
    found[is_world] *= WEIGHT_OF_WORLD
    found[mutated & is_world] *= WEIGHT_OF_MUTANT
    for world in (False, True):
        whole = found[is_world == world].sum()
        for kind in (False, True):
            chosen = (is_world == world) & (correct == kind)
            if chosen.any():
                found[chosen] *= 0.5 * whole / found[chosen].sum()
    return np.asarray(found / found.mean())


def trained(examples: Sequence[Example], words: int, keywords: int, epochs: int) -> Verifier:
    """Return the network learned from examples, the same for the same examples."""
    torch.manual_seed(0)
    order, drop = random.Random(0), np.random.default_rng(0)
    network = Verifier(words, keywords)
    weights = weights_of(examples)
    wrong = np.array([not one.labeled.correct for one in examples], dtype=np.float32)
    clauses = np.array(
        [
            CLAUSES.index(one.labeled.clause) if one.labeled.clause in CLAUSES else -1
            for one in examples
        ]
    )
    sizes = [one.size for one in examples]
    keys = [one.labeled.key for one in examples]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    questions = np.array([numbers[key] for key in keys])
    steps = epochs * (len(examples) // BATCH + 1)
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, steps + 1, pct_start=0.1)
    for epoch in range(epochs):
        start, total = time.time(), 0.0
        for places in runs(sizes, keys, BATCH, order):
            out = network(batch_of([examples[at].inputs for at in places], DROPPED, drop))
            counted = torch.tensor(weights[places], dtype=torch.float32)
            is_wrong = torch.tensor(wrong[places])
            loss = _loss(out, is_wrong, torch.tensor(clauses[places]), counted)
            loss = loss + _ranking(out[:, 0], is_wrong, torch.tensor(questions[places]), counted)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            total += loss.item() * len(places)
        print(
            f"epoch {epoch}: {total / len(examples):.4f}, {time.time() - start:.0f} s", flush=True
        )
    return network.eval()


def _loss(out: Tensor, wrong: Tensor, clauses: Tensor, weights: Tensor) -> Tensor:
    target = wrong * (1.0 - SMOOTHING) + SMOOTHING / 2
    of_query = functional.binary_cross_entropy_with_logits(out[:, 0], target, reduction="none")
    loss = (weights * of_query).mean()
    known = clauses >= 0
    if known.any():
        of_clause = functional.cross_entropy(out[known, 1:], clauses[known], reduction="none")
        loss = loss + CLAUSE_LOSS * (weights[known] * of_clause).sum() / len(weights)
    return loss


def _ranking(log_odds: Tensor, wrong: Tensor, questions: Tensor, weights: Tensor) -> Tensor:
    """Return the logistic loss of wrong queries above right ones for the same question.

    What makes a question hard cancels: only what is different between two queries is learned.
    """
    same = (questions[:, None] == questions[None, :]) & (wrong[:, None] > wrong[None, :])
    if not same.any():
        return log_odds.sum() * 0.0
    gap = (log_odds[:, None] - log_odds[None, :])[same]
    of_pair = weights[:, None].expand_as(same)[same]
    found: Tensor = (of_pair * functional.softplus(-gap)).sum() / of_pair.sum()
    return found


@torch.no_grad()
def outputs(network: Verifier, examples: Sequence[Example]) -> NDArray[np.float32]:
    """Return `[n, 1 + clauses]`: log-odds of being wrong, then scores of clauses."""
    found = np.zeros((len(examples), 1 + len(CLAUSES)), dtype=np.float32)
    order = sorted(range(len(examples)), key=lambda at: examples[at].size)
    for at in range(0, len(order), 2 * BATCH):
        places = order[at : at + 2 * BATCH]
        found[places] = network(batch_of([examples[place].inputs for place in places])).numpy()
    return found


def measured(
    population: str, name: str, network: Verifier, of: Sequence[Example]
) -> dict[str, Cell]:
    """Return how well right and wrong queries are told apart."""
    out = outputs(network, of)
    wrong = np.array([not one.labeled.correct for one in of])
    log_odds = out[:, 0].astype(np.float64)
    groups = np.array([one.labeled.group for one in of])
    areas = [
        area(wrong[groups == group], log_odds[groups == group])
        for group in np.unique(groups)
        if 0 < wrong[groups == group].sum() < (groups == group).sum()
    ]
    placed = [
        CLAUSES[int(row[1:].argmax())] == one.labeled.clause
        for row, one in zip(out, of, strict=True)
        if one.labeled.clause in CLAUSES
    ]
    row: dict[str, Cell] = {
        "population": population,
        "set": name,
        "queries": len(of),
        "wrong": int(wrong.sum()),
        "auc": area(wrong, log_odds),
        "auc_within_databases": float(np.mean(areas)),
        "recall_at_5": recall_at(wrong, log_odds, 0.05),
        "clause": float(np.mean(placed)) if placed else None,
    }
    print(
        {key: round(value, 3) if isinstance(value, float) else value for key, value in row.items()}
    )
    return row


def scale_of(network: Verifier, examples: Sequence[Example]) -> tuple[float, float]:
    """Return (slope, offset) of the log-odds on queries that were left out, wrong ones half."""
    from sklearn.linear_model import LogisticRegression

    log_odds = outputs(network, examples)[:, :1].astype(np.float64)
    wrong = np.array([not one.labeled.correct for one in examples])
    line = LogisticRegression(C=1e6, class_weight="balanced").fit(log_odds, wrong)
    return float(line.coef_[0, 0]), float(line.intercept_[0])


def is_left_out(item: Labeled) -> bool:
    """Whether a domain of the corpus is one of those for the calibration."""
    return item.source == WORLD and fold_of(item.group, CALIBRATION_FOLDS) == 0


def main() -> None:
    """Train, measure and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="folder of the benchmarks")
    parser.add_argument("--out", type=Path, required=True, help="folder of the results")
    parser.add_argument("--weights", type=Path, help="file of the packaged weights")
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--share", type=float, default=1.0, help="share of the domains to learn")
    parser.add_argument("--jobs", type=int, default=1, help="processes that read queries")
    chosen = parser.parse_args()
    torch.set_num_threads(chosen.jobs)
    pairs = [pair for pair in corpus_pairs() if pair.source != DOMAINS]
    learned = of_pairs(few_of_each([*read_pairs(chosen.data), *pairs], 3), 1)
    of_domains = domains(LEARN)
    names = sorted({item.group for item in of_domains})
    known = {name for name in names if fold_of(f"share {name}", 1000) < 1000 * chosen.share}
    learned += [item for item in of_domains if item.group in known]
    vocabulary, keywords = vocabularies(learned)
    reading = _Reading(vocabulary, keywords)
    shown = [item for item in learned if not is_left_out(item)]
    left_out = [item for item in learned if is_left_out(item)]
    examples = examples_of(shown, reading, chosen.jobs)
    print(f"{len(examples)} queries, {len(known)} domains, {len(vocabulary)} words", flush=True)
    words = FIRST_WORD + len(vocabulary)
    network = trained(examples, words, 1 + len(keywords), chosen.epochs)
    rows = []
    sets = [(WORLD, REPORT, domains(REPORT))]
    for population in (WORLD, *BENCHMARKS):
        benchmark = Benchmark(chosen.data / population)
        sets += [(population, name, items) for name, items in predictions(benchmark)]
    for population, name, items in sets:
        if items:
            of = examples_of(items, reading, chosen.jobs)
            rows.append({"domains": len(known), **measured(population, name, network, of)})
    chosen.out.mkdir(parents=True, exist_ok=True)
    for path in chosen.out.glob("verifier_*.csv"):
        path.unlink()
    write_csv(chosen.out / f"verifier_{len(known)}.csv", rows)
    write_report(chosen.out, report)
    if chosen.weights is not None:
        scale = scale_of(network, examples_of(left_out, reading, chosen.jobs))
        write(chosen.weights, arrays_of(network, vocabulary, keywords, scale))


if __name__ == "__main__":
    main()
