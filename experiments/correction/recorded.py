"""A server whose replies are good, useless or harmful by construction.

What is replied is one query in the place of every field that takes one, and an answer that
supports it in the place of every other. So a strategy asks with its real prompts, and what is
measured is what the loop and the auditor make of proposals of which the worth is known.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from clausewise.corrected_case import CorrectedCase
from clausewise.sql import same_statement
from clausewise.testing.endpoint import Reply
from clausewise.testing.replies import scripted_model
from clausewise.types import Json, ScoredCase
from experiments.common.workspace import Workspace
from experiments.correction.trials import Corrected, Ready, Trial, corrected, ready, results
from experiments.counterexamples.mutations import CHANGES, DIALECT, Drawing, mutant

GOOD, USELESS, REWORDED, HARMFUL = "good", "useless", "reworded", "harmful"
KINDS = (GOOD, USELESS, REWORDED, HARMFUL)
"""The gold query for wrong cases, the same query, the same in other words, a wrong query for right
cases."""
QUERY_FIELDS = ("sql", "query", "corrected_sql", "corrected_query", "revised_sql")
AGREEING = ("same", "correct", "equal", "equivalent", "match", "consistent", "right", "agree", "ok")
"""Words in the name of a field that says that nothing has to be changed."""
TEXT = "The query and the question differ."


@dataclass
class ProposedQuery:
    """Replies of a model that wants `sql` in place of whatever it is shown.

    `answers` are values of fields by name, for strategies whose replies are read in another way
    than by default: a field of `QUERY_FIELDS` gets the query, a boolean says that something is
    wrong, a choice takes its last value (the corrected one of two), a number is 1.
    """

    sql: str = ""
    answers: Mapping[str, Json] = field(default_factory=dict)
    asked: int = 0

    def __call__(self, request: Mapping[str, Any]) -> Reply:
        """Return a reply that fits the request's schema; without one the query, or no."""
        self.asked += 1
        schema = request.get("response_format", {}).get("json_schema", {}).get("schema")
        if schema is not None:
            return Reply(json.dumps(self._value(schema, schema, "")))
        if request.get("logprobs"):
            return Reply("No", chances={"No": 0.9, "Yes": 0.1})
        return Reply(f"```sql\n{self.sql}\n```")

    def _value(self, schema: Mapping[str, Any], whole: Mapping[str, Any], name: str) -> Any:
        if name in self.answers:
            return self.answers[name]
        if "$ref" in schema:
            return self._value(whole["$defs"][schema["$ref"].rsplit("/", 1)[1]], whole, name)
        if "anyOf" in schema:
            return self._value(schema["anyOf"][0], whole, name)
        if "enum" in schema:
            return schema["enum"][-1]
        if "const" in schema:
            return schema["const"]
        kind = schema.get("type")
        if kind == "object":
            parts = schema.get("properties", {}).items()
            return {part: self._value(of, whole, part) for part, of in parts}
        if kind == "array":
            return [self._value(schema["items"], whole, name)]
        if kind == "string":
            return self.sql if name in QUERY_FIELDS else TEXT
        simple = {"boolean": not any(word in name for word in AGREEING), "null": None}
        return simple.get(str(kind), 1)


@dataclass
class Proposals:
    """What is proposed for each prediction of a benchmark."""

    of: Ready
    others: Mapping[str | int, list[str]]
    """All systems' queries for each question."""

    def proposal(self, scored: ScoredCase, kind: str) -> str | None:
        """Return the query of a kind, None where there is none for the case."""
        assert scored.predicted_sql is not None
        if kind == GOOD:
            return self.of.matcher.gold(scored)
        if kind == USELESS:
            return scored.predicted_sql
        if kind == REWORDED:
            return reworded(scored.predicted_sql)
        return self.harmful(scored)

    def harmful(self, scored: ScoredCase) -> str | None:
        """Return a wrong query: what another system predicts, else the gold with a change."""
        assert scored.question_id is not None
        dice = random.Random(f"{scored.question_id} {scored.predicted_sql}")
        others = [
            sql for sql in self.others.get(scored.question_id, ()) if self._wrong(scored, sql)
        ]
        if others:
            return dice.choice(others)
        return next((sql for sql in self.mutants(scored, dice) if self._wrong(scored, sql)), None)

    def mutants(self, scored: ScoredCase, dice: random.Random) -> Iterator[str]:
        """Yield the gold query after one change, in an order by chance."""
        assert scored.db_id is not None
        drawing = Drawing(self.of.databases.get(scored.db_id).schema, dice)
        for kind in dice.sample(sorted(CHANGES), len(CHANGES)):
            made = mutant(self.of.matcher.gold(scored), CHANGES[kind], drawing)
            if made is not None:
                yield made

    def _wrong(self, scored: ScoredCase, sql: str) -> bool:
        same = same_statement(sql) == same_statement(scored.predicted_sql or "")
        matcher = self.of.matcher
        # one that does not run is refused before it is judged
        return not same and matcher.runs(scored, sql) and not matcher.is_right(scored, sql)


def reworded(sql: str) -> str | None:
    """Return the same query with sides of AND and = exchanged and other names of result columns."""
    try:
        tree = sqlglot.parse_one(sql, read=DIALECT)
    except SqlglotError:
        return None
    for node in list(tree.find_all(exp.And, exp.EQ)):
        left, right = node.this, node.expression
        node.set("this", right)
        node.set("expression", left)
    for number, item in enumerate(tree.selects if isinstance(tree, exp.Select) else ()):
        if not isinstance(item, exp.Alias | exp.Star) and not item.is_star:
            item.replace(exp.alias_(item.copy(), f"result_{number}"))
    return tree.sql(DIALECT)


def proposals(workspace: Workspace, of: Ready) -> Proposals:
    """Return what may be proposed on a benchmark."""
    from clausewise.datasets import read_candidates

    known = read_candidates(workspace.benchmark(of.name).folder / "candidates.jsonl")
    return Proposals(of, {question: [sql for _, sql in all_] for question, all_ in known.items()})


def run_recorded(
    workspace: Workspace, trial: Trial, kind: str, answers: Mapping[str, Json] | None = None
) -> list[Corrected]:
    """Run a strategy against replies of one kind.

    Good ones are given for predictions that are wrong, harmful ones for those that are right, the
    others for all. Cases for which there is no such query are left out.
    """
    only = {GOOD: "wrong", HARMFUL: "right"}.get(kind, "")
    rows: list[Corrected] = []
    for name in workspace.benchmarks:
        of = ready(workspace, name, replace(trial, only=only))
        known = proposals(workspace, of)
        for system, cases in of.cases.items():
            wanted = {id(case): known.proposal(case, kind) for case in cases}
            of.cases[system] = [case for case in cases if wanted[id(case)] is not None]
            replies = ProposedQuery(answers=answers or {})
            found: list[CorrectedCase] = []
            with (
                tempfile.TemporaryDirectory() as folder,
                scripted_model(replies, Path(folder), concurrency=1) as llm,
            ):
                for case in of.cases[system]:
                    replies.sql = wanted[id(case)] or ""
                    # a cache for all cases would answer one with the query of another
                    found += corrected([case], of, trial, llm)
            rows += results(of, system, found)
            changed = sum(result.changed for result in found)
            print(f"{name} {system}: {changed} of {len(found)} changed", flush=True)
        of.databases.close()
    return rows
