"""The corpus as gold pairs: questions of domain files and of the sets of pairs, with right SQL."""

from __future__ import annotations

import csv
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from clausewise.databases import Schema, open_database
from experiments.expectation.pairs import Pair, read_pairs
from experiments.world.corpus.build import define

FOLDER = Path(__file__).parent
DOMAINS, PAIRS = "corpus_domains", "corpus_pairs"
"""Names of the two sources."""
LEARN, REPORT = "learn", "report"
"""What a database is for; see `makers.csv`."""


@lru_cache(maxsize=1)
def uses() -> Mapping[str, str]:
    """Return what each database of the corpus is for."""
    with (FOLDER / "makers.csv").open(encoding="utf-8", newline="") as stream:
        return {row["db_id"]: row["use"] for row in csv.DictReader(stream)}


@lru_cache(maxsize=1)
def disputed() -> frozenset[tuple[str, int]]:
    """Return (database, number) of the questions that a second reader held wrong or open."""
    with (FOLDER / "disputes.csv").open(encoding="utf-8", newline="") as stream:
        return frozenset((row["db_id"], int(row["number"])) for row in csv.DictReader(stream))


def domain_files(use: str = LEARN) -> list[Path]:
    """Return the domain files for a use, by name."""
    found = sorted((FOLDER / "domains").glob("*.yaml"))
    return [path for path in found if uses()[path.stem] == use]


def corpus_pairs() -> list[Pair]:
    """Return the gold pairs that are for learning, in a fixed order."""
    return [*_of_domains(), *_of_sets()]


def all_pairs(data: Path, *, corpus: bool = True) -> list[Pair]:
    """Return what is learned from: the gold pairs of a folder of data, and the corpus."""
    return [*read_pairs(data), *(corpus_pairs() if corpus else ())]


def _of_domains() -> Iterator[Pair]:
    for path in domain_files():
        domain: Mapping[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
        schema = schema_of("".join(f"{statement};\n" for statement in define(domain)))
        for number, asked in enumerate(domain["questions"], start=1):
            if (path.stem, number) in disputed():
                continue
            name = f"{path.stem}-{number:03d}"
            texts = (asked["q"], asked.get("ev") or "", asked["gold"])
            yield _pair(DOMAINS, name, path.stem, texts, schema)


def _of_sets() -> Iterator[Pair]:
    for path in sorted((FOLDER / "pairs").glob("*.tsv")):
        if uses()[path.stem] != LEARN:
            continue
        schema = schema_of(path.with_suffix(".sql").read_text(encoding="utf-8"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if line.strip() and (path.stem, number) not in disputed():
                question, evidence, sql = line.split("\t")
                name = f"{path.stem}-{number:03d}"
                yield _pair(PAIRS, name, path.stem, (question, evidence, sql), schema)


def _pair(source: str, name: str, db_id: str, texts: tuple[str, str, str], schema: Schema) -> Pair:
    question, evidence, sql = texts
    return Pair(
        source=source,
        question_id=name,
        db_id=db_id,
        question=question,
        evidence=evidence,
        sql=" ".join(sql.split()),
        dialect="sqlite",
        schema=schema,
    )


def schema_of(script: str) -> Schema:
    """Return the schema that a script of CREATE TABLE statements makes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "schema.sqlite"
        connection = sqlite3.connect(path)
        connection.executescript(script)
        connection.close()
        return open_database(path).schema
