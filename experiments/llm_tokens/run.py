"""Count the tokens of the LLM signals' prompts on the gold queries of the benchmarks.

    python -m experiments.llm_tokens.run DATA --out experiments/llm_tokens/results

No model is asked: prompts are rendered and their characters counted, four for a token.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clausewise.llm import LLMSettings, Probability
from clausewise.llm.replies import reply_schema, schema_instruction
from clausewise.llm.templates import PromptFolder
from clausewise.preparation import describe_schema, estimate_tokens
from clausewise.signals import Context, select_signals
from clausewise.sql import parse
from clausewise.types import Case
from experiments.data import Benchmark
from experiments.gold_firing_rates.run import gold_cases
from experiments.tables import markdown

SOURCES = ("spider", "bird")
TOGETHER = (
    "self_check_bool",
    "self_check_probability",
    "evidence_violation",
    "insufficient_evidence",
    "question_clause_linking",
    "llm_column_ambiguity",
)
"""What the combined call answers."""

_PROMPTS = PromptFolder()
_NO_LIMIT = 1_000_000


@dataclass
class CountingDoor:
    """Stands in for a model's door: counts what would be sent, and answers that all is right."""

    settings: LLMSettings
    query: Any
    tokens: int = 0
    calls: int = 0
    schema_tokens: int = 0
    """Tokens of the replies' JSON schemas, for servers that are told them in words."""
    answers: dict[str, Any] = field(default_factory=dict)

    def ask(self, prompt: str, reply: Any, variables: Mapping[str, object]) -> Any:
        """Count a prompt and return a reply that fits its model."""
        self._count(prompt, variables)
        self.schema_tokens += estimate_tokens(schema_instruction(reply_schema(reply)))
        return reply.model_validate(_answer(reply.__name__, self.query))

    def probability(self, prompt: str, variables: Mapping[str, object]) -> Probability:
        """Count a yes-or-no question."""
        self._count(prompt, variables)
        return Probability(1.0, "logprobs")

    def _count(self, prompt: str, variables: Mapping[str, object]) -> None:
        filled = _PROMPTS.render(prompt, variables)
        self.tokens += estimate_tokens(filled.system) + estimate_tokens(filled.user)
        self.calls += 1


def _answer(name: str, query: Any) -> dict[str, Any]:
    """Return the shortest right answer; a description is as long as the query that it tells of."""
    sure = {"confidence": 1.0, "reason": "", "fragment": ""}
    links = [{**sure, "phrase": "", "clause": "none", "sure": True}]
    answers: dict[str, dict[str, Any]] = {
        "SelfCheck": {**sure, "correct": True},
        "EvidenceViolation": {**sure, "violated": False},
        "InsufficientEvidence": {**sure, "sufficient": True, "missing": ""},
        "Links": {"links": links},
        "Alternatives": {"alternatives": []},
        "Description": {
            "steps": [{"fragment": c.text, "meaning": c.text} for c in query.clauses],
            "summary": query.text,
        },
        "Comparison": {**sure, "same": True, "step": 0},
        "ResultReview": {**sure, "columns_right": True, "rows_right": True},
    }
    answers["Combined"] = {
        "links": links,
        "alternatives": [],
        "evidence_violation": answers["EvidenceViolation"],
        "insufficient_evidence": answers["InsufficientEvidence"],
        "self_check": answers["SelfCheck"],
        "probability": 1.0,
    }
    return answers[name]


def count_case(case: Case, benchmark: Benchmark, send_values: bool) -> dict[str, dict[str, int]]:
    """Return prompt name -> calls, tokens and schema tokens; what does not apply is left out."""
    database = benchmark.databases.get(case.db_id)
    query = parse(case.predicted_sql, tables=database.schema.names())
    result = database.run(case.predicted_sql)
    counted = {}
    for combined in (False, True):
        names = TOGETHER[:1] if combined else [spec.name for spec in select_signals("sqlens-llm")]
        settings = LLMSettings("none", send_values=send_values, combined=combined, offline=True)
        for name in names:
            door = CountingDoor(settings, query)
            context = Context(case, query, database, result, door)  # type: ignore[arg-type]
            if not _applies(name, case, send_values):
                continue
            (spec,) = select_signals(name)
            assert not list(spec.function(case, context))
            counted["combined call" if combined else name] = {
                "calls": door.calls,
                "tokens": door.tokens,
                "schema_tokens": door.schema_tokens,
            }
    return counted


def _applies(name: str, case: Case, send_values: bool) -> bool:
    if name == "evidence_violation" and not (case.evidence or "").strip():
        return False
    return send_values or name != "result_review"


def spread(values: Sequence[int]) -> dict[str, int]:
    """Return mean, median, 95th percentile and maximum, rounded."""
    ordered = sorted(values)
    return {
        "n": len(ordered),
        "mean": round(statistics.fmean(ordered)),
        "median": round(statistics.median(ordered)),
        "p95": ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))],
        "max": ordered[-1],
    }


def measure(benchmark: Benchmark, send_values: bool) -> dict[str, Any]:
    """Return the spread of each prompt over the benchmark's questions."""
    counts = [count_case(case, benchmark, send_values) for case in gold_cases(benchmark)]
    names = list(dict.fromkeys(name for count in counts for name in count))
    table: dict[str, Any] = {}
    for name in names:
        own = [count[name] for count in counts if name in count]
        table[name] = {
            "calls": own[0]["calls"],
            "schema_tokens": own[0]["schema_tokens"],
            **spread([item["tokens"] for item in own]),
        }
    together = [sum(c[name]["tokens"] for name in TOGETHER if name in c) for c in counts]
    everything = [sum(v["tokens"] for n, v in c.items() if n != "combined call") for c in counts]
    table["the six of the combined call, each by itself"] = {
        "calls": sum(name in counts[0] for name in TOGETHER),
        "schema_tokens": sum(table[n]["schema_tokens"] for n in TOGETHER if n in table),
        **spread(together),
    }
    table["all signals, each by itself"] = {
        "calls": sum(table[n]["calls"] for n in names if n != "combined call"),
        "schema_tokens": sum(table[n]["schema_tokens"] for n in names if n != "combined call"),
        **spread(everything),
    }
    return table


def schemas(benchmark: Benchmark) -> list[dict[str, Any]]:
    """Return the size of each schema's text, without a limit and without values."""
    rows = []
    for name in sorted({case.db_id for case in gold_cases(benchmark)}):
        database = benchmark.databases.get(name)
        rows.append(
            {
                "benchmark": benchmark.name,
                "database": name,
                "tables": len(database.schema.tables),
                "columns": sum(len(table.columns) for table in database.schema.tables),
                "tokens": estimate_tokens(describe_schema(database, tokens=_NO_LIMIT)),
                "tokens_without_values": estimate_tokens(
                    describe_schema(database, tokens=_NO_LIMIT, send_values=False)
                ),
            }
        )
    return rows


def report(found: Mapping[str, Any]) -> str:
    """Return all tables as Markdown."""
    parts = ["# Tokens of prompts\n", "Estimated: four characters a token.\n"]
    for source, settings in found["prompts"].items():
        for setting, table in settings.items():
            rows = [
                [name, *(str(row[k]) for k in ("n", "calls", "mean", "median", "p95", "max")),
                 str(row["schema_tokens"])]
                for name, row in table.items()
            ]  # fmt: skip
            header = ["signal", "cases", "calls", "mean", "median", "95 %", "most", "reply schema"]
            parts.append(f"## {source}, {setting}\n\n{markdown(header, rows)}")
    rows = [[str(value) for value in row.values()] for row in found["schemas"]]
    header = ["benchmark", "database", "tables", "columns", "tokens", "without values"]
    parts.append(f"## Schemas without a limit\n\n{markdown(header, rows)}")
    return "\n".join(parts)


def main() -> None:
    """Count and write both files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    found: dict[str, Any] = {"prompts": {}, "schemas": []}
    for source in SOURCES:
        benchmark = Benchmark(arguments.data / source)
        found["prompts"][source] = {
            "with values": measure(benchmark, send_values=True),
            "without values": measure(benchmark, send_values=False),
        }
        found["schemas"] += schemas(benchmark)
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "tokens.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    (arguments.out / "tokens.md").write_text(report(found), encoding="utf-8")
    print(report(found), end="")


if __name__ == "__main__":
    main()
