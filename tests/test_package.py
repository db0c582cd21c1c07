"""The promises of `import clausewise`: light, lazy, and with true names."""

import json
import subprocess
import sys

import pytest

import clausewise

HEAVY = ("torch", "snorkel", "autogluon", "sklearn", "pandas", "networkx", "sqlalchemy")


def _in_a_fresh_process(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def test_import_is_light() -> None:
    code = f"""
import json, sys
before = len(sys.modules)
import clausewise
loaded = len(sys.modules) - before
print(json.dumps([loaded, [name for name in {HEAVY!r} if name in sys.modules]]))
"""
    loaded, heavy = json.loads(_in_a_fresh_process(code))
    assert loaded < 100
    assert heavy == []


def test_checking_needs_no_heavy_library() -> None:
    code = """
import json, sys
from clausewise import check
from clausewise.datasets import sample_dir
database = sample_dir() / "databases" / "bookshop" / "bookshop.sqlite"
check("How many books are there?", "SELECT COUNT(*) FROM books", database)
print(json.dumps([n for n in ("torch", "snorkel", "autogluon", "sklearn") if n in sys.modules]))
"""
    assert json.loads(_in_a_fresh_process(code)) == []


@pytest.mark.parametrize("name", clausewise.__all__)
def test_every_public_name_exists(name: str) -> None:
    assert getattr(clausewise, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'chek'"):
        _ = clausewise.chek
