from collections.abc import Iterator
from importlib.metadata import EntryPoint

import pytest

from clausewise.errors import RegistryError
from clausewise.signals import SignalRegistry, loading, select_signals, signal, signals_named
from clausewise.types import Clause, Cost, Finding, Group

SQLENS = {
    "abnormal_result", "empty_predicate", "incorrect_filter_in_subquery", "incorrect_group_by",
    "incorrect_join_predicate", "suboptimal_join_tree", "table_similarity",
    "unnecessary_subquery", "value_ambiguity",
}  # fmt: skip


def _declare(registry: SignalRegistry, code: str, name: str) -> None:
    @signal(
        code=code, name=name, group=Group.DATABASE, family="x", clauses={Clause.WHERE}, needs=(),
        cost=Cost.PARSE, version=1, registry=registry,
    )  # fmt: skip
    def nothing(case: object, context: object) -> Iterator[Finding]:
        """Never fires."""
        yield from ()


def test_a_code_can_be_used_once() -> None:
    registry = SignalRegistry()
    _declare(registry, "ABC01", "first")
    with pytest.raises(RegistryError, match="ABC01 belongs to 'first'"):
        _declare(registry, "ABC01", "second")


def test_a_name_can_be_used_once() -> None:
    registry = SignalRegistry()
    _declare(registry, "ABC01", "first")
    with pytest.raises(RegistryError, match="registered twice"):
        _declare(registry, "ABC02", "first")


def test_a_malformed_code_is_refused() -> None:
    with pytest.raises(RegistryError, match="not a bundle prefix"):
        _declare(SignalRegistry(), "first-one", "first")


def test_the_set_of_the_paper() -> None:
    assert {spec.name for spec in select_signals("sqlens")} == SQLENS


@pytest.mark.parametrize(
    ("selector", "names"),
    [
        ("empty_predicate", {"empty_predicate"}),
        ("PRED01", {"empty_predicate"}),
        ("SCHM", {"table_similarity", "unknown_name"}),
        ("sqlens,-value,-JOIN01", SQLENS - {"empty_predicate", "value_ambiguity",
                                            "abnormal_result", "suboptimal_join_tree"}),
    ],
)  # fmt: skip
def test_selectors(selector: str, names: set[str]) -> None:
    chosen = select_signals(selector)
    assert {spec.name for spec in chosen} == names
    assert [spec.code for spec in chosen] == sorted(spec.code for spec in chosen)


def test_taking_away_first_starts_from_all() -> None:
    everything = {spec.name for spec in select_signals("all")}
    assert {spec.name for spec in select_signals("-JOIN01")} == everything - {
        "suboptimal_join_tree"
    }


def test_an_unknown_term_suggests_the_nearest() -> None:
    with pytest.raises(RegistryError, match="did you mean 'empty_predicate'"):
        select_signals("empty_predicat")


@pytest.mark.parametrize("selector", ["", " , ", "JOIN01,-JOIN01"])
def test_a_selector_that_leaves_nothing_is_an_error(selector: str) -> None:
    with pytest.raises(RegistryError, match="signal selector"):
        select_signals(selector)


def test_names_of_absent_plugins_are_told() -> None:
    with pytest.raises(RegistryError, match="is a plug-in missing"):
        signals_named(["signal_of_a_plugin"])


def test_a_broken_plugin_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EntryPoint("broken", "no_such_module_at_all", loading.ENTRY_POINT_GROUP)
    monkeypatch.setattr(loading, "entry_points", lambda group: (broken,))
    with pytest.raises(RegistryError, match=r"plug-in .broken.*cannot be loaded"):
        loading.load_signals.__wrapped__()


@pytest.mark.parametrize("selector", ["all", "consistency", "CONS", "execution", "llm,consistency"])
@pytest.mark.parametrize("models", [False, True])
def test_a_signal_that_must_be_named_is_part_of_no_wider_term(selector: str, models: bool) -> None:
    try:
        chosen = select_signals(selector, models=models)
    except RegistryError:
        assert selector == "execution"
        return
    assert "execution_consistency" not in {spec.name for spec in chosen}


@pytest.mark.parametrize("selector", ["execution_consistency", "CONS03", "all,CONS03"])
def test_a_signal_that_must_be_named_is_chosen_by_name_and_code(selector: str) -> None:
    assert "execution_consistency" in {spec.name for spec in select_signals(selector)}
