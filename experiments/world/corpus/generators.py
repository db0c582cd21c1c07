"""Made-up values of columns: `SQL_TYPE generator [arguments] [null P] [unique] [notnull]`.

- `pk [FIRST]`: FIRST, FIRST + 1, ...; from 1 where it is not given
- `fk Table.Column [zipf]`: of a column made before, skewed with `zipf`; `ref` is not declared
- `choice A:60 I:30 'On hold':10`: by weight
- `seq a b c`: in order, again and again
- `int LOW HIGH [skew]`, `float LOW HIGH DIGITS [skew]`, `bool P`: with `skew` small ones more often
- `date FROM TO`, `datetime FROM TO`: uniform
- `after Column LOW HIGH`: so many days after another column of the row
- `expr "Column * 1.19"`: computed from the columns before it
- `name`, `first`, `last`, `company`, `city`, `country`, `street`, `email`, `phone`, `word`,
  `phrase`: texts
- `code PREFIX-####`: a digit for each `#`

The same file gives the same values, whatever runs it: a generator seeded with the database name is
asked in the order of tables, columns and rows.
"""

from __future__ import annotations

import json
import random
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

WORDS: Mapping[str, list[str]] = json.loads(
    Path(__file__).with_name("words.json").read_text(encoding="utf-8")
)
MOST_TRIES = 200
"""Draws of a unique value before a number is put behind it."""
_NUMERIC = re.compile(r"(?i)int|real|num|dec|bool|float|double|big|small|tiny")
_FUNCTIONS: Mapping[str, Any] = {
    "__builtins__": {},
    **{"round": round, "min": min, "max": max, "int": int, "str": str, "len": len},
}
Columns = dict[str, list[Any]]


@dataclass(slots=True)
class Column:
    """What a column's specification says, and what was made before it."""

    type: str
    kind: str
    arguments: list[str]
    null: float
    unique: bool
    columns: Columns
    """Of the same table, made before."""
    tables: Mapping[str, Columns]
    rng: random.Random

    @classmethod
    def of(
        cls, spec: str, columns: Columns, tables: Mapping[str, Columns], rng: random.Random
    ) -> Column:
        """Read a specification."""
        kind_of, kind, *rest = shlex.split(spec)
        null = 0.0
        if "null" in rest:
            at = rest.index("null")
            null = float(rest[at + 1])
            rest = rest[:at] + rest[at + 2 :]
        unique = "unique" in rest
        arguments = [word for word in rest if word not in ("unique", "notnull")]
        return cls(kind_of, kind, arguments, null, unique, columns, tables, rng)

    def values(self, size: int) -> list[Any]:
        """Return the values of so many rows."""
        pick = _PICKS[self.kind]
        made: list[Any] = []
        seen: set[Any] = set()
        for row in range(size):
            if self.null and self.rng.random() < self.null:
                made.append(None)
                continue
            value = pick(self, row)
            if self.unique:
                for _ in range(MOST_TRIES):
                    if value not in seen:
                        break
                    value = pick(self, row)
                else:
                    value = f"{value} {row}"
                seen.add(value)
            made.append(value)
        return made

    def number(self, text: str) -> Any:
        """Return a text as a number where the column holds numbers."""
        if not _NUMERIC.match(self.type) or not re.fullmatch(r"-?\d+(\.\d+)?", text):
            return text
        return int(text) if re.fullmatch(r"-?\d+", text) else float(text)

    @property
    def bend(self) -> int:
        """Power of a uniform number: 3 where small values are more frequent."""
        return 3 if "skew" in self.arguments else 1


def _link(column: Column, _row: int) -> Any:
    table, name = column.arguments[0].split(".")
    pool = [value for value in column.tables[table][name] if value is not None]
    if "zipf" in column.arguments:
        return pool[min(int(column.rng.paretovariate(1.1)) - 1, len(pool) - 1)]
    return column.rng.choice(pool)


def _choice(column: Column, _row: int) -> Any:
    pairs = [word.rsplit(":", 1) for word in column.arguments]
    values, weights = [pair[0] for pair in pairs], [float(pair[1]) for pair in pairs]
    return column.number(column.rng.choices(values, weights)[0])


def _seq(column: Column, row: int) -> Any:
    return column.number(column.arguments[row % len(column.arguments)])


def _int(column: Column, _row: int) -> int:
    low, high = int(column.arguments[0]), int(column.arguments[1])
    return low + int((high - low + 1) * column.rng.random() ** column.bend)


def _float(column: Column, _row: int) -> float:
    low, high = float(column.arguments[0]), float(column.arguments[1])
    return round(low + (high - low) * column.rng.random() ** column.bend, int(column.arguments[2]))


def _date(column: Column, _row: int) -> str:
    low, high = (date.fromisoformat(text) for text in column.arguments[:2])
    return (low + timedelta(column.rng.randint(0, (high - low).days))).isoformat()


def _datetime(column: Column, _row: int) -> str:
    low, high = (datetime.fromisoformat(text) for text in column.arguments[:2])
    seconds = column.rng.randint(0, int((high - low).total_seconds()))
    return (low + timedelta(seconds=seconds)).strftime("%Y-%m-%d %H:%M:%S")


def _after(column: Column, row: int) -> str | None:
    before = column.columns[column.arguments[0]][row]
    if before is None:
        return None
    days = column.rng.uniform(float(column.arguments[1]), float(column.arguments[2]))
    found = datetime.fromisoformat(before) + timedelta(days)
    return found.strftime("%Y-%m-%d %H:%M:%S" if len(before) > 10 else "%Y-%m-%d")


def _expr(column: Column, row: int) -> Any:
    values = {name: made[row] for name, made in column.columns.items()}
    try:
        # the domain files are this repository's own
        return eval(" ".join(column.arguments), dict(_FUNCTIONS), values)
    except TypeError:
        return None


def _street(column: Column, _row: int) -> str:
    number = column.rng.randint(1, 200)
    word = column.rng.choice(WORDS["word"]).title()
    return f"{number} {word} {column.rng.choice(WORDS['street_end'])}"


def _email(column: Column, _row: int) -> str:
    rng = column.rng
    user = f"{rng.choice(WORDS['first'])}.{rng.choice(WORDS['last'])}{rng.randint(1, 99)}"
    return f"{user}@{rng.choice(WORDS['word'])}.example".lower()


def _phone(column: Column, _row: int) -> str:
    rng = column.rng
    return f"+{rng.randint(30, 49)} {rng.randint(100, 999)} {rng.randint(100000, 999999)}"


def _code(column: Column, _row: int) -> str:
    return re.sub("#", lambda _match: str(column.rng.randint(0, 9)), column.arguments[0])


def _one_of(words: Sequence[str], *, title: bool = False) -> Callable[[Column, int], str]:
    def pick(column: Column, _row: int) -> str:
        word = column.rng.choice(words)
        return word.title() if title else word

    return pick


_PICKS: Mapping[str, Callable[[Column, int], Any]] = {
    "pk": lambda column, row: row + int(column.arguments[0] if column.arguments else 1),
    "fk": _link,
    "ref": _link,
    "choice": _choice,
    "seq": _seq,
    "int": _int,
    "float": _float,
    "bool": lambda column, _row: int(column.rng.random() < float(column.arguments[0])),
    "date": _date,
    "datetime": _datetime,
    "after": _after,
    "expr": _expr,
    "first": _one_of(WORDS["first"]),
    "last": _one_of(WORDS["last"]),
    "name": lambda column, _row: (
        f"{column.rng.choice(WORDS['first'])} {column.rng.choice(WORDS['last'])}"
    ),
    "company": lambda column, _row: (
        f"{column.rng.choice(WORDS['last'])} {column.rng.choice(WORDS['company_end'])}"
    ),
    "city": _one_of(WORDS["city"]),
    "country": _one_of(WORDS["country"]),
    "street": _street,
    "email": _email,
    "phone": _phone,
    "word": _one_of(WORDS["word"], title=True),
    "phrase": lambda column, _row: (
        f"{column.rng.choice(WORDS['word']).title()} {column.rng.choice(WORDS['word'])}"
    ),
    "code": _code,
}
