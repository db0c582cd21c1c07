"""The example of the page on a backend of one's own keeps the contract of databases."""

import re
from pathlib import Path
from typing import Any

import pytest

from clausewise.testing import DATABASE_CHECKS, contract_script

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "own-backend.md"


@pytest.fixture(scope="module")
def example() -> Any:
    source = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.S | re.M)[0]
    namespace: dict[str, Any] = {"__name__": "page"}
    exec(compile(source, str(PAGE), "exec"), namespace)
    return namespace["ScriptDatabase"]


@pytest.mark.parametrize("check", DATABASE_CHECKS, ids=lambda check: check.__name__)
def test_the_example_keeps_the_contract(check: Any, example: Any) -> None:
    check(lambda: example("contract", contract_script("sqlite")))
