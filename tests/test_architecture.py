"""Rules of the structure that import contracts cannot state."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import grimp
import networkx
import pytest

import clausewise

ROOT = Path(clausewise.__file__).parent
SIGNAL = re.compile(r"clausewise\.signals\.\w+\.[a-z]+\d+_\w+")
FILES = sorted(ROOT.rglob("*.py"))
MOST_LINES = 700
MOST_FUNCTION_LINES = 80


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("clausewise", cache_dir=None)


def test_a_signal_is_imported_by_nothing(graph: grimp.ImportGraph) -> None:
    signals = {module for module in graph.modules if SIGNAL.fullmatch(module)}
    assert len(signals) >= 61
    imported = {
        module: sorted(graph.find_modules_that_directly_import(module)) for module in signals
    }
    assert not {module: by for module, by in imported.items() if by}


def test_imports_run_in_no_circle() -> None:
    graph = grimp.build_graph("clausewise", cache_dir=None, exclude_type_checking_imports=True)
    arrows = networkx.DiGraph(
        (importer, module)
        for importer in graph.modules
        for module in graph.find_modules_directly_imported_by(importer)
    )
    circles = [found for found in networkx.strongly_connected_components(arrows) if len(found) > 1]
    assert not circles


def test_private_helpers_are_used_inside_their_package_only(graph: grimp.ImportGraph) -> None:
    crossing = [
        (importer, module)
        for module in graph.modules
        if module.rpartition(".")[2].startswith("_") and not module.endswith("_version")
        for importer in graph.find_modules_that_directly_import(module)
        if not importer.startswith(module.rpartition(".")[0])
    ]
    assert not crossing


def test_no_file_and_no_function_grows_past_a_page() -> None:
    long_files = {
        str(path.relative_to(ROOT)): lines
        for path in FILES
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > MOST_LINES
    }
    long_functions = {
        f"{path.relative_to(ROOT)}:{node.name}": node.end_lineno - node.lineno
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
        and node.end_lineno is not None
        and _code_lines(node) > MOST_FUNCTION_LINES
    }
    assert not long_files
    assert not long_functions


def _code_lines(function: ast.FunctionDef) -> int:
    """Return the lines of a function without its signature and docstring."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (function.end_lineno or 0) - body[0].lineno + 1 if body else 0


def test_no_class_name_stands_for_two_things() -> None:
    homes = defaultdict(list)
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                homes[node.name.lstrip("_")].append(str(path.relative_to(ROOT)))
    assert not {name: places for name, places in homes.items() if len(places) > 1}
