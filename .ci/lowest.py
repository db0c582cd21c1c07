"""Print pip constraints that pin each direct dependency to its lowest supported version.

`python .ci/lowest.py [EXTRA...]` reads `pyproject.toml` and takes the base dependencies and those
of the extras. Every dependency must have a lower bound.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"
_BOUND = re.compile(r"^(?P<name>[\w.-]+)(\[[\w,-]+\])?>=(?P<version>[\w.]+)")


def lowest(project: dict[str, object], extras: Sequence[str]) -> Iterator[str]:
    """Yield a constraint for each dependency. Raises ValueError for one without a lower bound."""
    table = project["project"]
    assert isinstance(table, dict)
    required = list(table["dependencies"])
    for extra in extras:
        required += table["optional-dependencies"][extra]
    for requirement in required:
        bound = _BOUND.match(requirement)
        if bound is None:
            raise ValueError(f"no lower bound: {requirement}")
        yield f"{bound['name']}=={bound['version']}"


if __name__ == "__main__":
    parsed = tomllib.loads(PROJECT.read_text(encoding="utf-8"))
    sys.stdout.writelines(f"{line}\n" for line in lowest(parsed, sys.argv[1:]))
