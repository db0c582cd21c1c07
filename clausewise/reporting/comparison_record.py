"""The JSON of a comparison of two queries, as it is written and read again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Annotated, ClassVar, TypeAlias

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from clausewise.equivalence import DifferenceKind, EquivalenceVerdict, Stage
from clausewise.types import Json

JsonCell: TypeAlias = int | float | str | None


@dataclass(frozen=True, slots=True)
class RowsRecord:
    """Rows of a table of the counterexample."""

    columns: tuple[str, ...]
    rows: tuple[tuple[JsonCell, ...], ...]


@dataclass(frozen=True, slots=True)
class ResultRecord:
    """Rows that a query gives, in their order."""

    columns: tuple[str, ...]
    rows: Annotated[
        tuple[tuple[JsonCell, ...], ...],
        Field(description="blobs are their hexadecimal digits"),
    ]
    truncated: Annotated[bool, Field(description="whether there are more rows")] = False


@dataclass(frozen=True, slots=True)
class CounterexampleRecord:
    """`Counterexample.to_dict()`: the tables of an instance and what both queries give on it."""

    kind: Annotated[DifferenceKind, Field(description="in what the results differ")]
    tables: Annotated[
        dict[str, RowsRecord] | None,
        Field(description="null: only the given database tells the queries apart"),
    ]
    result_a: ResultRecord
    result_b: ResultRecord


@dataclass(frozen=True, slots=True)
class AttemptRecord:
    """What one stage of the comparison tried."""

    stage: Stage
    tried: Annotated[int, Field(ge=0, description="instances, or attempts at a proof")]
    outcome: str


@dataclass(frozen=True, slots=True)
class ComparisonRecord:
    """`EquivalenceResult.to_dict()`."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(
        json_schema_extra={
            "title": "A comparison of two queries by clausewise",
            "description": "What `clausewise compare --format json` writes.",
        }
    )

    verdict: EquivalenceVerdict
    counterexample: Annotated[
        CounterexampleRecord | None, Field(description="null unless NOT_EQUIVALENT")
    ]
    proof: Annotated[tuple[str, ...], Field(description="steps; empty unless EQUIVALENT")]
    reason: Annotated[str, Field(description="why UNKNOWN; empty otherwise")]
    attempts: tuple[AttemptRecord, ...]
    let_pass: Annotated[
        tuple[str, ...],
        Field(
            description="up to what the queries are proved EQUIVALENT, such as the order of rows"
        ),
    ]


@cache
def _reader() -> TypeAdapter[CounterexampleRecord]:
    return TypeAdapter(CounterexampleRecord)


def read_counterexample(value: Json) -> CounterexampleRecord | None:
    """Return the counterexample that the evidence of a finding holds, None where it is none."""
    try:
        found = _reader().validate_python(value)
    except ValidationError:
        return None
    parts = [(part.columns, part.rows) for part in (found.result_a, found.result_b)]
    parts += [(part.columns, part.rows) for part in (found.tables or {}).values()]
    whole = all(len(row) == len(columns) for columns, rows in parts for row in rows)
    return found if whole else None
