"""Build the databases and the labeled queries of the corpus from its domain files.

A domain file names tables with generated data, and questions with a gold query, other right forms
(`also`) and wrong ones. Each query is run: one whose result is not what the file says it is, is
left out and told of.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shlex
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

import yaml

from experiments.world.corpus.generators import Column, Columns

MOST_TICKS = 3_000
"""Times 10,000 steps of SQLite that one query may take."""
_KEYWORDS = frozenset(
    (
        *("order", "group", "table", "index", "values", "transaction", "check"),
        *("references", "select", "where", "from", "case", "to"),
    )
)
Rows = list[tuple[Any, ...]]


def build(domain: Mapping[str, Any], path: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """Write the database of a domain; return its labeled queries, and what is wrong with it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    try:
        fill(connection, domain)
        return _checked(connection, domain)
    finally:
        connection.close()


def define(domain: Mapping[str, Any]) -> list[str]:
    """Return the statements that make the tables of a domain, in order."""
    return [_definition(table, about) for table, about in domain["tables"].items()]


def fill(connection: sqlite3.Connection, domain: Mapping[str, Any]) -> None:
    """Make the tables of a domain and their rows."""
    rng = random.Random(domain["db"])
    made: dict[str, Columns] = {}
    for table, about in domain["tables"].items():
        columns: Columns = {}
        names = list(about["columns"])
        if "data" in about:
            for place, name in enumerate(names):
                columns[name] = [_plain(row[place]) for row in about["data"]]
        made[table] = columns
        for name in names if "data" not in about else ():
            column = Column.of(str(about["columns"][name]), columns, made, rng)
            columns[name] = column.values(about["rows"])
        connection.execute(_definition(table, about))
        _insert(connection, table, columns, _key(about))
    connection.commit()


def _key(about: Mapping[str, Any]) -> list[str]:
    names = [name for name in about["columns"] if _words(about, name)[1:2] == ["pk"]]
    return list(about.get("pk") or names)


def _words(about: Mapping[str, Any], name: str) -> list[str]:
    return shlex.split(str(about["columns"][name]))


def _plain(value: Any) -> Any:
    """Return a value of YAML as SQLite holds it."""
    if isinstance(value, datetime):
        return value.isoformat(" ")
    return value.isoformat() if isinstance(value, date) else value


def _quoted(name: str) -> str:
    plain = re.fullmatch(r"[A-Za-z_]\w*", name) and name.lower() not in _KEYWORDS
    return name if plain else f'"{name}"'


def _listed(names: list[str]) -> str:
    return ", ".join(_quoted(name) for name in names)


def _definition(table: str, about: Mapping[str, Any]) -> str:
    parts, links, key = [], [], _key(about)
    for name in about["columns"]:
        words = _words(about, name)
        kind = words[0]
        not_null = " NOT NULL" if "notnull" in words else ""
        primary = " PRIMARY KEY" if [name] == key else ""
        parts.append(f"{_quoted(name)} {kind}{not_null}{primary}")
        if words[1:2] == ["fk"]:
            other, column = words[2].split(".")
            links.append(
                f"FOREIGN KEY ({_quoted(name)}) REFERENCES {_quoted(other)} ({_quoted(column)})"
            )
    if len(key) > 1:
        parts.append(f"PRIMARY KEY ({_listed(key)})")
    parts += [f"UNIQUE ({_listed(names)})" for names in about.get("unique", ())]
    parts += links
    if about.get("extra"):
        parts.append(about["extra"])
    return f"CREATE TABLE {_quoted(table)} (\n  " + ",\n  ".join(parts) + "\n)"


def _insert(connection: sqlite3.Connection, table: str, columns: Columns, key: list[str]) -> None:
    names = list(columns)
    marks = ",".join("?" * len(names))
    seen = set()
    for row in zip(*columns.values(), strict=True):
        mine = tuple(row[names.index(name)] for name in key)
        if key and mine in seen:
            continue
        seen.add(mine)
        connection.execute(f"INSERT OR IGNORE INTO {_quoted(table)} VALUES ({marks})", row)


def _checked(
    connection: sqlite3.Connection, domain: Mapping[str, Any]
) -> tuple[list[dict[str, Any]], list[str]]:
    cases: list[dict[str, Any]] = []
    problems: list[str] = []
    for number, asked in enumerate(domain["questions"], start=1):
        name = f"{domain['db']}-{number:03d}"
        of_question: list[dict[str, Any]] = []
        for sql, correct, error, clause in _labeled(connection, asked, name, problems):
            of_question.append(
                {
                    "question_id": f"{name}-{len(of_question) + 1}",
                    "db_id": domain["db"],
                    "question": asked["q"],
                    "evidence": asked.get("ev"),
                    "predicted_sql": " ".join(sql.split()),
                    "correct": correct,
                    "error": error,
                    "clause": clause,
                }
            )
        cases += of_question
    return cases, problems


def _labeled(
    connection: sqlite3.Connection, asked: Mapping[str, Any], name: str, problems: list[str]
) -> Iterator[tuple[str, bool, str | None, str | None]]:
    try:
        gold = run(connection, asked["gold"])
    except sqlite3.Error as error:
        problems.append(f"{name} gold: {error}")
        return
    if not gold or all(value is None for row in gold for value in row):
        problems.append(f"{name} gold gives nothing")
        return
    wanted = counted(gold)
    yield asked["gold"], True, None, None
    others = [(sql, True, None, None) for sql in asked.get("also") or ()]
    wrong = [
        (one["sql"], False, one.get("err"), one.get("clause")) for one in asked.get("wrong") or ()
    ]
    for sql, correct, kind, clause in (*others, *wrong):
        try:
            agrees = counted(run(connection, sql)) == wanted
        except sqlite3.Error as problem:
            problems.append(f"{name}: {problem}: {sql[:90]}")
            continue
        if agrees != correct:
            problems.append(f"{name} {'also differs' if correct else 'wrong agrees'}: {sql[:90]}")
            continue
        yield sql, correct, kind, clause


def run(connection: sqlite3.Connection, sql: str) -> Rows:
    """Return the rows of a query; sqlite3.Error where it fails or takes too long."""
    ticks = 0

    def tick() -> bool:
        nonlocal ticks
        ticks += 1
        return ticks > MOST_TICKS

    connection.set_progress_handler(tick, 10_000)
    return connection.execute(sql).fetchall()


def counted(rows: Rows) -> Counter[tuple[Any, ...]]:
    """Return how often each row stands in a result, numbers to six places."""
    return Counter(
        tuple(round(value, 6) if isinstance(value, float) else value for value in row)
        for row in rows
    )


def main() -> None:
    """Build all domains of a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("domains", type=Path, help="folder of domain files (YAML)")
    parser.add_argument("--out", type=Path, required=True, help="folder of databases and cases")
    arguments = parser.parse_args()
    (arguments.out / "cases").mkdir(parents=True, exist_ok=True)
    for path in sorted(arguments.domains.glob("*.yaml")):
        domain = yaml.safe_load(path.read_text(encoding="utf-8"))
        name = domain["db"]
        cases, problems = build(domain, arguments.out / "databases" / name / f"{name}.sqlite")
        lines = "".join(json.dumps(case) + "\n" for case in cases)
        (arguments.out / "cases" / f"{name}.jsonl").write_text(lines, encoding="utf-8")
        right = sum(case["correct"] for case in cases)
        print(f"{name}: {right} right, {len(cases) - right} wrong, {len(problems)} problems")
        for problem in problems:
            print(f"    {problem}")


if __name__ == "__main__":
    main()
