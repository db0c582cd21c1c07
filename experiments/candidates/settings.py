"""The same queries beside several kinds of candidates, with and without the systems' names."""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import cast

from clausewise.databases import BaseDatabase, Databases
from clausewise.databases.model import Limits, QueryResult
from clausewise.datasets import read_candidates
from clausewise.errors import ClausewiseError, DatabaseError
from clausewise.models import packaged_detector
from clausewise.signals import inspect_cases
from clausewise.signals.consistency.agreement import agreement
from clausewise.signals.context import PREDICTED_LIMITS, Context
from clausewise.sql import parse
from clausewise.types import Case, Inspection, ScoredCase
from experiments.common.data import Benchmark, Item, System, question_of
from experiments.common.workspace import Workspace, all_signals

Candidate = tuple[str | None, str]
"""The system, None where it is not given, and its SQL."""
Offer = Callable[[str, Case], list[Candidate]]
"""The candidates of a case, by the system under test and the case."""

SYSTEMS, UNNAMED = "other systems", "other systems, names not given"
THREE, FAMILY = "three other systems", "the same model in other sizes or settings"
SAMPLES, SAMPLES_OF_THREE = "7 samples of the same model", "3 samples of the same model"
ANOTHER, MIXED = "7 samples of another model", "7 samples of another model, three systems"
SAMPLED = {"4omini": "gpt-4o-mini", "41mini": "gpt-4.1-mini"}
"""Prefix of the questions' ids in `judged.jsonl` to the model."""
FAMILIES = (
    ("codes_1b", "codes_7b", "codes_15b", "codes_1b_ev", "codes_7b_ev"),
    ("damo_chatgpt", "damo_chatgpt_kg", "share_baseline_gpt"),
    ("c3_chatgpt", "chatgpt_zero_shot"),
    ("din_sql_gpt4", "dail_sql_gpt4", "dea_sql_gpt4"),
)
"""Systems that answer by one and the same language model."""
FEW = 3
FEWEST = 2
"""Candidates that must have run, as `candidate_disagreement` needs them."""


@dataclass(frozen=True)
class Setting:
    """The systems' queries with one kind of candidates, beside their scores without any."""

    name: str
    benchmark: str
    systems: list[System]
    """The inspections have `agreement`, with how many candidates agree and nearly do."""
    alone: dict[str, list[ScoredCase]]
    """By system, in the order of its inspections: the packaged detector on the query alone."""
    gold: dict[str | int, str]
    """What questions belong together, by the id of the case."""


@dataclass(frozen=True)
class Judged:
    """The recorded samples: of two models, up to seven others of the same model for each."""

    cases: dict[str, list[Case]]
    """By model, without candidates."""
    labels: dict[str, dict[str | int, bool]]
    samples: dict[tuple[str, int], list[str]]
    """By model and question."""


def read_judged(workspace: Workspace) -> Judged:
    """Read `bird/judged.jsonl`; queries that read an empty table have no label."""
    lines = (workspace.data / "bird" / "judged.jsonl").read_text(encoding="utf-8").splitlines()
    found = Judged({}, {}, {})
    fields = ("question_id", "db_id", "question", "evidence", "predicted_sql")
    for record in map(json.loads, lines):
        prefix, question = record["question_id"].split("-")
        model = SAMPLED[prefix]
        found.cases.setdefault(model, []).append(Case(**{name: record[name] for name in fields}))
        found.samples[model, int(question)] = record["candidates"]
        if not record["reads_empty_table"]:
            found.labels.setdefault(model, {})[record["question_id"]] = record["correct"]
    return found


def settings(workspace: Workspace) -> Iterator[Setting]:
    """Yield every setting on the benchmarks asked for."""
    judged = read_judged(workspace)
    for name in workspace.benchmarks:
        benchmark = workspace.benchmark(name)
        systems = benchmark.systems(all_signals(), jobs=workspace.jobs)
        make = partial(_setting, benchmark, systems, scored_alone(systems), benchmark.gold())
        for title, offer in _offers(benchmark, judged).items():
            yield make(title, offer)
    if "bird" in workspace.benchmarks:
        yield from _of_samples(workspace, judged)


def _offers(benchmark: Benchmark, judged: Judged) -> dict[str, Offer]:
    known = read_candidates(benchmark.folder / "candidates.jsonl")

    def others(system: str, case: Case) -> list[Candidate]:
        return [(name, sql) for name, sql in known.get(case.question_id, ()) if name != system]

    def few(system: str, case: Case) -> list[Candidate]:
        listed = others(system, case)
        chosen = random.Random(f"{system}/{case.question_id}").sample(listed, min(FEW, len(listed)))
        return _unnamed(chosen)

    def family(system: str, case: Case) -> list[Candidate]:
        members = {name for of in FAMILIES if system in of for name in of}
        return _unnamed([(name, sql) for name, sql in others(system, case) if name in members])

    def samples(system: str, case: Case) -> list[Candidate]:
        model = sorted(SAMPLED.values())[len(system) % 2]
        return [(None, sql) for sql in judged.samples.get((model, _number(case)), ())]

    def mixed(system: str, case: Case) -> list[Candidate]:
        found = samples(system, case)
        return [*found, *few(system, case)] if found else []

    offers: dict[str, Offer] = {
        SYSTEMS: others,
        UNNAMED: lambda system, case: _unnamed(others(system, case)),
        THREE: few,
        FAMILY: family,
    }
    return offers | ({ANOTHER: samples, MIXED: mixed} if benchmark.name == "bird" else {})


def _of_samples(workspace: Workspace, judged: Judged) -> Iterator[Setting]:
    benchmark = workspace.benchmark("bird")
    systems = [
        System(
            "bird",
            model,
            inspect_cases(cases, benchmark.databases, all_signals(), workspace.jobs),
            judged.labels[model],
        )
        for model, cases in judged.cases.items()
    ]
    gold = {
        case.question_id: str(_number(case)) for cases in judged.cases.values() for case in cases
    }
    known = read_candidates(benchmark.folder / "candidates.jsonl")

    def own(system: str, case: Case) -> list[Candidate]:
        return [(None, sql) for sql in judged.samples[system, _number(case)]]

    def named(_: str, case: Case) -> list[Candidate]:
        return list(known.get(_number(case), ()))

    alone = scored_alone(systems)
    offers: dict[str, Offer] = {
        SAMPLES: own,
        SAMPLES_OF_THREE: lambda system, case: own(system, case)[:FEW],
        SYSTEMS: named,
    }
    for title, offer in offers.items():
        made = _setting(benchmark, systems, alone, gold, title, offer)
        yield dataclasses.replace(made, benchmark="bird, two models")


def _number(case: Case) -> int:
    """Return the benchmark's number of the question."""
    return int(str(case.question_id).rpartition("-")[2])


def _unnamed(candidates: Sequence[Candidate]) -> list[Candidate]:
    return [(None, sql) for _, sql in candidates]


def _setting(
    benchmark: Benchmark,
    systems: Sequence[System],
    alone: dict[str, dict[str | int, ScoredCase]],
    gold: dict[str | int, str],
    title: str,
    offer: Offer,
) -> Setting:
    databases = benchmark.databases
    found: list[System] = []
    scored: dict[str, list[ScoredCase]] = {}
    for system in systems:
        single = [item for item in system.labeled() if offer(system.name, item.case)]
        if len({system.is_incorrect(item) for item in single}) < 2:
            continue
        items: list[Item] = [
            _compared(item, offer(system.name, item.case), databases) for item in single
        ]
        found.append(dataclasses.replace(system, inspections=items))
        scored[system.name] = [alone[system.name][item.case.question_id] for item in single]
    print(benchmark.name, title, len(found), "systems", flush=True)
    return Setting(title, benchmark.name, found, scored, gold)


def scored_alone(systems: Sequence[System]) -> dict[str, dict[str | int, ScoredCase]]:
    """Return, by system and question, the packaged detector's scores of the single queries."""
    detector = packaged_detector()
    return {
        system.name: {
            question_of(case): case for case in detector.score_inspections(system.labeled())
        }
        for system in systems
    }


def _compared(item: Inspection, offered: list[Candidate], databases: Databases) -> Inspection:
    """Return the inspection with what the comparison with the candidates says."""
    systems, queries = zip(*offered, strict=True)
    given = {"candidates": queries, "candidate_systems": systems if any(systems) else ()}
    case = item.case.model_copy(update=given)
    database = cast("BaseDatabase", _Remembering(databases.get(case.db_id)))
    query = parse(case.predicted_sql, tables=database.schema.names())
    context = Context(case, query, database, database.run(case.predicted_sql, PREDICTED_LIMITS))
    found = agreement(context)
    counts = {"agreeing": float(found.agreeing), "near": float(found.near)}
    comparable = found.executable >= FEWEST
    return dataclasses.replace(
        item, case=case, agreement=found.measures() | counts if comparable else {}
    )


@lru_cache(maxsize=50_000)
def _result(database: BaseDatabase, sql: str, limits: Limits) -> QueryResult | ClausewiseError:
    try:
        return database.run(sql, limits)
    except DatabaseError as error:
        return error


class _Remembering:
    """A database that runs each statement once: settings share most of their candidates."""

    def __init__(self, database: BaseDatabase) -> None:
        self._database = database

    def __getattr__(self, name: str) -> object:
        return getattr(self._database, name)

    def run(self, sql: str, limits: Limits) -> QueryResult:
        """Return the statement's rows, or raise what it raised the first time."""
        found = _result(self._database, sql, limits)
        if isinstance(found, Exception):
            raise found
        return found
