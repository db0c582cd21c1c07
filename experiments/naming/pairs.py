"""The gold pairs that are mined for words: questions and schemas, without evaluation databases."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")


@dataclass(frozen=True)
class Pair:
    """A question with the query that people wrote for it; `source` is the data set's name."""

    source: str
    db_id: str
    question: str
    gold_sql: str

    @property
    def words(self) -> list[str]:
        """The words of the question in lower case, in order."""
        return _WORD.findall(self.question.lower())


def gold_pairs(data: Path) -> Iterator[Pair]:
    """Yield the pairs of `gold_pairs/*` and of `spider_train`, in the order of their files."""
    for folder in [*sorted((data / "gold_pairs").iterdir()), data / "spider_train"]:
        file = folder / "questions.jsonl"
        if file.exists():
            yield from pairs_of(file)


def pairs_of(file: Path) -> Iterator[Pair]:
    """Yield the pairs of one file of questions."""
    for line in file.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        yield Pair(file.parent.name, record["db_id"], record["question"], record["gold_sql"])


def schemas_of(data: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield (data set, database, its tables) of every schema in `gold_pairs`."""
    for file in sorted((data / "gold_pairs").glob("*/schemas.json")):
        for db_id, schema in sorted(json.loads(file.read_text(encoding="utf-8")).items()):
            yield file.parent.name, db_id, schema["tables"]
