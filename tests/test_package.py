"""The promises of `import clausewise`: light, lazy, and with true names."""

import ast
import importlib
import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import clausewise

LAZY = ("datasets", "equivalence", "llm", "preparation", "reporting")

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


def test_what_type_checkers_see_is_what_is_there() -> None:
    tree = ast.parse(Path(clausewise.__file__).read_text(encoding="utf-8"))
    (seen,) = (node for node in tree.body if isinstance(node, ast.If))
    typed = {
        alias.asname: node.module
        for node in seen.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert typed == clausewise._HOMES
    assert set(clausewise.__all__) == {"__version__", *typed}


def _packages() -> list[str]:
    found = pkgutil.walk_packages(clausewise.__path__, "clausewise.")
    return [name for _, name, is_package in found if is_package and ".cli" not in name]


@pytest.mark.parametrize("name", _packages())
def test_what_a_package_exports_is_there(name: str) -> None:
    package = importlib.import_module(name)
    exported = getattr(package, "__all__", [])
    assert len(exported) == len(set(exported))
    assert [one for one in exported if not hasattr(package, one)] == []


def test_a_signal_needs_one_import() -> None:
    from clausewise import signals

    words = {"Case", "Clause", "Context", "Cost", "Finding", "Group", "Level", "Need"}
    words |= {"NotApplicable", "signal", "for_each", "selects", "Reason"}
    assert words <= set(signals.__all__)
    assert words <= set(clausewise.__all__)
    assert all(getattr(signals, word) is getattr(clausewise, word) for word in words)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'chek'"):
        _ = clausewise.chek


@pytest.mark.parametrize("package", ["clausewise", *(f"clausewise.{name}" for name in LAZY)])
def test_no_module_hides_a_name_that_is_loaded_on_first_use(package: str) -> None:
    found = importlib.import_module(package)
    modules = {module.name for module in pkgutil.iter_modules(found.__path__)}
    assert not modules & set(found._HOMES)
