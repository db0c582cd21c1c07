"""Check the estimate of four characters a token against a model's own tokenizer.

    python -m experiments.llm_tokens.tokenizer DATA --server http://127.0.0.1:8080

The server is any llama.cpp server; its `/tokenize` is asked, its model never.
"""

from __future__ import annotations

import argparse
import json
import urllib.request
from collections import Counter
from pathlib import Path
from unittest import mock

from clausewise.llm.templates import Prompt, PromptFolder
from experiments.data import Benchmark
from experiments.gold_firing_rates.run import gold_cases
from experiments.llm_tokens import run
from experiments.tables import markdown

EVERY = 25
"""Every so manieth question is looked at."""


class _Keeping(PromptFolder):
    """Keeps every prompt that it fills in."""

    def __init__(self) -> None:
        super().__init__()
        self.filled: list[Prompt] = []

    def render(self, name: str, variables: object) -> Prompt:
        prompt = super().render(name, variables)  # type: ignore[arg-type]
        self.filled.append(prompt)
        return prompt


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
    for source in run.SOURCES:
        benchmark = Benchmark(arguments.data / source)
        folder = _Keeping()
        with mock.patch.object(run, "_PROMPTS", folder):
            for case in gold_cases(benchmark)[::EVERY]:
                run.count_case(case, benchmark, send_values=True)
        characters: Counter[str] = Counter()
        tokens: Counter[str] = Counter()
        for prompt in folder.filled:
            text = f"{prompt.system}\n{prompt.user}"
            for name in (prompt.name, "all prompts"):
                characters[name] += len(text)
                tokens[name] += count_tokens(arguments.server, text)
        rows += [
            [source, name, str(tokens[name]), f"{characters[name] / tokens[name]:.2f}"]
            for name in sorted(tokens)
        ]
    print(markdown(["benchmark", "prompt", "tokens", "characters a token"], rows), end="")


if __name__ == "__main__":
    main()
