import pytest

from clausewise.errors import RegistryError
from clausewise.signals.loading import conventions
from clausewise.signals.reasons import Grade, Graded, level_of, reasons_of
from clausewise.types import Level


def test_a_reason_that_nobody_counted_speaks_with_its_grade() -> None:
    meanings: dict[str, Graded] = {"plain": "It is odd.", "sure": ("It is wrong.", "decisive")}
    found = reasons_of("signal_of_a_plugin", meanings)
    assert found["plain"].grade is Grade.MODERATE
    assert found["plain"].level is Level.WARNING
    assert found["sure"].meaning == "It is wrong."
    assert found["sure"].strength == Grade.DECISIVE.strength > found["plain"].strength
    assert found["sure"].level is Level.ERROR


def test_a_grade_that_does_not_exist_is_refused() -> None:
    with pytest.raises(RegistryError, match="'deadly' is no grade; known: slight, moderate"):
        reasons_of("signal_of_a_plugin", {"odd": ("It is odd.", "deadly")})


def test_grades_rise() -> None:
    strengths = [grade.strength for grade in Grade]
    assert strengths == sorted(strengths)
    assert [Grade.nearest(grade.strength) for grade in Grade] == list(Grade)


def test_a_reason_is_a_convention_where_its_author_says_so() -> None:
    meanings: dict[str, Graded] = {"more": ("One more.", "slight", "convention"), "less": "Less."}
    found = reasons_of("signal_of_a_plugin", meanings)
    assert found["more"].is_convention
    assert not found["less"].is_convention
    with pytest.raises(RegistryError, match="only 'convention' may stand"):
        reasons_of("signal_of_a_plugin", {"odd": ("It is odd.", "slight", "custom")})


def test_a_missing_column_is_no_convention() -> None:
    waived = {reason for signal, reason in conventions() if signal == "projection_mismatch"}
    assert {"unasked_count", "key_shown", "ranking_shown", "too_many"} <= waived
    assert not waived & {"too_few", "not_shown", "other_column"}


def test_levels_follow_from_strengths() -> None:
    assert [level_of(s) for s in (0.1, 0.3, 0.59, 0.6)] == [
        Level.INFO,
        Level.WARNING,
        Level.WARNING,
        Level.ERROR,
    ]
