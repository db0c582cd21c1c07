"""Count the tokens of the LLM signals' prompts on the gold queries of the benchmarks.

    python -m experiments.llm.tokens.run DATA --out experiments/llm/tokens/results

No model is asked: prompts are rendered and their characters counted, four for a token.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from clausewise.llm import LLM, CaseLLM, LLMSettings, Probability
from clausewise.llm.replies import reply_schema, schema_instruction
from clausewise.llm.templates import Prompt
from clausewise.preparation import describe_schema, estimate_tokens
from clausewise.signals import Context, select_signals
from clausewise.sql import parse
from clausewise.sql.model import Query
from clausewise.types import Case
from experiments.common.data import BENCHMARKS, Benchmark
from experiments.common.results import Cell, grouped, read_csv, write_csv, write_report
from experiments.common.tables import markdown_table

R = TypeVar("R", bound=BaseModel)
TOGETHER = (
    "self_check_bool",
    "self_check_probability",
    "evidence_violation",
    "insufficient_evidence",
    "question_clause_linking",
    "llm_column_ambiguity",
)
"""What the combined call answers."""

_NO_LIMIT = 1_000_000


class CountingModel(CaseLLM):
    """Stands in for a model: keeps the prompts that would be sent, answers that all is right."""

    def __init__(self, llm: LLM, query: Query) -> None:
        super().__init__(llm, "counted")
        self.templates = llm.prompts
        self.query = query
        self.prompts: list[Prompt] = []
        self.schema_tokens = 0
        """Tokens of the replies' JSON schemas, for servers that get them in words."""

    @property
    def tokens(self) -> int:
        """The estimated tokens of all prompts."""
        return sum(estimate_tokens(p.system) + estimate_tokens(p.user) for p in self.prompts)

    def ask(
        self, prompt: str, reply: type[R], variables: Mapping[str, object], **_sampling: object
    ) -> R:
        """Keep a prompt and return a reply that fits its model."""
        self.prompts.append(self.templates.render(prompt, variables))
        self.schema_tokens += estimate_tokens(schema_instruction(reply_schema(reply)))
        return reply.model_validate(_answer(reply.__name__, self.query))

    def probability(self, prompt: str, variables: Mapping[str, object]) -> Probability:
        """Keep a yes-or-no question."""
        self.prompts.append(self.templates.render(prompt, variables))
        return Probability(1.0, "logprobs")


@lru_cache
def offline_model(send_values: bool, combined: bool) -> LLM:
    """Return a client that never sends anything."""
    return LLM(LLMSettings("none", send_values=send_values, combined=combined, offline=True))


def _answer(name: str, query: Query) -> dict[str, Any]:
    """Return the shortest right answer; a description is as long as the query that it describes."""
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
        "StatementComparison": {**sure, "same": True, "step": 0},
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


def models_asked(case: Case, benchmark: Benchmark, send_values: bool) -> dict[str, CountingModel]:
    """Return prompt name -> the model as it was asked; what does not apply is left out."""
    database = benchmark.databases.get(case.db_id)
    query = parse(case.predicted_sql, tables=database.schema.names())
    result = database.run(case.predicted_sql)
    asked = {}
    for combined in (False, True):
        names = TOGETHER[:1] if combined else [spec.name for spec in select_signals("sqlens-llm")]
        for name in names:
            if not _applies(name, case, send_values):
                continue
            model = CountingModel(offline_model(send_values, combined), query)
            context = Context(case, query, database, result, model)
            (spec,) = select_signals(name)
            assert not list(spec.function(case, context))
            asked["combined call" if combined else name] = model
    return asked


def count_case(case: Case, benchmark: Benchmark, send_values: bool) -> dict[str, dict[str, int]]:
    """Return prompt name -> calls, tokens and schema tokens; what does not apply is left out."""
    return {
        name: {
            "calls": len(model.prompts),
            "tokens": model.tokens,
            "schema_tokens": model.schema_tokens,
        }
        for name, model in models_asked(case, benchmark, send_values).items()
    }


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


def measure(benchmark: Benchmark, send_values: bool) -> dict[str, dict[str, int]]:
    """Return the spread of each prompt over the benchmark's questions."""
    counts = [count_case(case, benchmark, send_values) for case in benchmark.gold_cases()]
    names = list(dict.fromkeys(name for count in counts for name in count))
    table: dict[str, dict[str, int]] = {}
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


def schemas(benchmark: Benchmark) -> list[dict[str, Cell]]:
    """Return the size of each schema's text, without a limit and without values."""
    rows: list[dict[str, Cell]] = []
    for name in sorted({case.db_id for case in benchmark.gold_cases()}):
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


COLUMNS = {
    "n": "cases", "calls": "calls", "mean": "mean", "median": "median", "p95": "95 %",
    "max": "most", "schema_tokens": "reply schema",
}  # fmt: skip


def report(folder: Path) -> str:
    """Return all tables as Markdown."""
    parts = ["# Tokens of prompts\n", "Estimated: four characters a token.\n"]
    header = ["signal", *COLUMNS.values()]
    for key, rows in grouped(read_csv(folder / "prompts.csv"), "benchmark", "setting").items():
        lines = [[row["signal"], *(row[column] for column in COLUMNS)] for row in rows]
        parts.append(f"## {', '.join(key)}\n\n{markdown_table(header, lines)}")
    sizes = [list(row.values()) for row in read_csv(folder / "schemas.csv")]
    header = ["benchmark", "database", "tables", "columns", "tokens", "without values"]
    parts.append(f"## Schemas without a limit\n\n{markdown_table(header, sizes)}")
    return "\n".join(parts)


def main() -> None:
    """Count and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    rows: list[dict[str, Cell]] = []
    sizes: list[dict[str, Cell]] = []
    for name in BENCHMARKS:
        benchmark = Benchmark(arguments.data / name)
        for setting, send_values in (("with values", True), ("without values", False)):
            rows += [
                {"benchmark": name, "setting": setting, "signal": signal, **counts}
                for signal, counts in measure(benchmark, send_values).items()
            ]
        sizes += schemas(benchmark)
    arguments.out.mkdir(parents=True, exist_ok=True)
    write_csv(arguments.out / "prompts.csv", rows)
    write_csv(arguments.out / "schemas.csv", sizes)
    print(write_report(arguments.out, report), end="")


if __name__ == "__main__":
    main()
