"""The named selections of signals that ask a model, and the paper's reference setting."""

from clausewise.labeling import build_labeling_functions
from clausewise.signals import select_signals
from clausewise.types import Cost, Group, Need

OF_A_MODEL = {
    "back_translation", "evidence_violation", "insufficient_evidence", "llm_column_ambiguity",
    "question_clause_linking", "result_review", "self_check_bool", "self_check_probability",
}  # fmt: skip
OF_THE_PAPER = {
    "evidence_violation", "insufficient_evidence", "llm_column_ambiguity",
    "question_clause_linking", "self_check_bool",
}  # fmt: skip


def test_the_set_of_the_model_holds_all_of_them_and_nothing_else() -> None:
    specs = select_signals("sqlens-llm")
    assert {spec.name for spec in specs} == OF_A_MODEL
    assert specs == select_signals("llm")
    for spec in specs:
        assert spec.group is Group.LLM
        assert spec.cost is Cost.MODEL
        assert {Need.LLM, Need.QUESTION} <= spec.needs


def test_the_reference_setting_is_nine_and_five_signals() -> None:
    specs = select_signals("sqlens-reference")
    groups = [spec.group for spec in specs]
    assert groups.count(Group.DATABASE) == 9
    assert {spec.name for spec in specs if spec.group is Group.LLM} == OF_THE_PAPER
    assert len(specs) == 14
    database = {spec.name for spec in specs if spec.group is Group.DATABASE}
    assert database == {spec.name for spec in select_signals("sqlens")}


def test_the_reference_setting_has_the_three_positive_functions_of_the_paper() -> None:
    functions = build_labeling_functions(select_signals("sqlens-reference"))
    positive = {
        function.name: set(function.signals) for function in functions if function.says_correct
    }
    assert set(positive) == {"no_signal", "no_database_signal", "no_llm_signal"}
    assert positive["no_llm_signal"] == OF_THE_PAPER
    assert len(positive["no_database_signal"]) == 9
    assert positive["no_signal"] == positive["no_llm_signal"] | positive["no_database_signal"]
    negative = [function.name for function in functions if not function.says_correct]
    assert len(negative) == 14
