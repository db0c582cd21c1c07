"""Check the estimate of four characters a token against a model's own tokenizer.

    python -m experiments.llm.tokens.tokenizer DATA --server http://127.0.0.1:8080

The server is any llama.cpp server; its `/tokenize` is asked, its model never.
"""

from __future__ import annotations

import argparse
import json
import urllib.request
from collections import Counter
from pathlib import Path

from experiments.common.data import BENCHMARKS, Benchmark
from experiments.common.tables import markdown_table
from experiments.llm.tokens.run import models_asked

EVERY = 25
"""One question in so many is taken."""


def count_tokens(server: str, text: str) -> int:
    """Return how many tokens the server's model makes of a text."""
    request = urllib.request.Request(
        f"{server.rstrip('/')}/tokenize",
        data=json.dumps({"content": text}).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as response:
        return len(json.load(response)["tokens"])


def main() -> None:
    """Print characters a token, by benchmark and prompt."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--server", required=True)
    arguments = parser.parse_args()
    rows = []
    for name in BENCHMARKS:
        benchmark = Benchmark(arguments.data / name)
        characters: Counter[str] = Counter()
        tokens: Counter[str] = Counter()
        for case in benchmark.gold_cases()[::EVERY]:
            for model in models_asked(case, benchmark, send_values=True).values():
                for prompt in model.prompts:
                    text = f"{prompt.system}\n{prompt.user}"
                    for kind in (prompt.name, "all prompts"):
                        characters[kind] += len(text)
                        tokens[kind] += count_tokens(arguments.server, text)
        rows += [
            [name, kind, str(tokens[kind]), f"{characters[kind] / tokens[kind]:.2f}"]
            for kind in sorted(tokens)
        ]
    print(markdown_table(["benchmark", "prompt", "tokens", "characters a token"], rows), end="")


if __name__ == "__main__":
    main()
