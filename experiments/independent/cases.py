"""The hand-made cases: reading them, making their databases, and comparing results of queries."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Hashable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from clausewise.types import Case

HERE = Path(__file__).parent
SPLITS = ("dev", "held")
WORDINGS = ("as asked", "terse", "in other words")
"""The same question by three people; each case has every wording."""
Rows = Sequence[tuple[Hashable, ...]]


@dataclass(frozen=True)
class HandMade:
    """A case with what it is: `kind` names the error, or of a correct query how it is written.

    `wordings` are its questions, one for each of `WORDINGS`; the case itself has the first.
    """

    case: Case
    split: str
    gold_sql: str
    correct: bool
    kind: str
    wordings: tuple[str, ...]

    def worded(self, wording: str) -> Case:
        """Return the case with another of its questions."""
        question = self.wordings[WORDINGS.index(wording)]
        return self.case.model_copy(update={"question": question})


def read_hand_made(splits: Sequence[str] = SPLITS) -> list[HandMade]:
    """Return the cases of some splits, in the order of the file."""
    lines = (HERE / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    return [
        HandMade(
            Case(
                question_id=record["question_id"],
                db_id=record["db_id"],
                question=record["question"],
                evidence=record.get("evidence"),
                predicted_sql=record["predicted_sql"],
            ),
            record["split"],
            record["gold_sql"],
            record["correct"],
            record["kind"],
            (record["question"], *record["wordings"]),
        )
        for record in map(json.loads, lines)
        if record["split"] in splits
    ]


def make_databases(folder: Path) -> list[str]:
    """Make `<db_id>.sqlite` in the folder from each script, and return their ids."""
    scripts = sorted((HERE / "databases").glob("*.sql"))
    for script in scripts:
        with closing(sqlite3.connect(folder / f"{script.stem}.sqlite")) as connection:
            connection.executescript(script.read_text(encoding="utf-8"))
            connection.commit()
    return [script.stem for script in scripts]


def rows_of(database: Path, sql: str) -> Rows:
    """Return the rows of a query, numbers rounded so that the order of a sum does not matter.

    Raises sqlite3.Error where the query does not run.
    """
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        found = connection.execute(sql).fetchall()
    return [tuple(round(v, 6) if isinstance(v, float) else v for v in row) for row in found]


def same_rows(one: Rows, other: Rows, ordered: bool) -> bool:
    """Return whether two results are the same: as lists, or without regard to the order."""
    return one == other if ordered else Counter(one) == Counter(other)


def is_ordered(gold_sql: str) -> bool:
    """Return whether the outermost query says the order of its rows."""
    outside, depth = [], 0
    for character in gold_sql.upper():
        depth += (character == "(") - (character == ")")
        outside.append(character if depth == 0 else " ")
    return "ORDER BY" in "".join(outside)
