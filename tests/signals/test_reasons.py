import pytest

from clausewise.errors import RegistryError
from clausewise.signals.reasons import Grade, Graded, Reason, level_of, reasons_of
from clausewise.types import Level


def test_a_reason_that_nobody_counted_speaks_with_its_grade() -> None:
    meanings: dict[str, Graded] = {"plain": "It is odd.", "sure": ("It is wrong.", "decisive")}
    found = reasons_of("signal_of_a_plugin", meanings)
    assert found["plain"].grade is Grade.MODERATE
    assert found["plain"].level is Level.WARNING
    assert found["sure"].meaning == "It is wrong."
    assert found["sure"].strength == Grade.DECISIVE.strength > found["plain"].strength
    assert found["sure"].level is Level.ERROR
    assert not found["sure"].decides


def test_a_grade_that_does_not_exist_is_refused() -> None:
    with pytest.raises(RegistryError, match="'deadly' is no grade; known: slight, moderate"):
        reasons_of("signal_of_a_plugin", {"odd": ("It is odd.", "deadly")})


def test_grades_rise() -> None:
    strengths = [grade.strength for grade in Grade]
    assert strengths == sorted(strengths)
    assert [Grade.nearest(grade.strength) for grade in Grade] == list(Grade)


@pytest.mark.parametrize(
    ("level", "count", "precision", "decides"),
    [
        (Level.ERROR, 10, 0.9, True),
        (Level.ERROR, 9, 1.0, False),
        (Level.ERROR, 500, 0.89, False),
        (Level.WARNING, 500, 0.95, False),
        (Level.ERROR, 0, None, False),
    ],
)
def test_an_error_decides_where_enough_were_counted(
    level: Level, count: int, precision: float | None, decides: bool
) -> None:
    reason = Reason("odd", "", level=level, count=count, precision=precision)
    assert reason.decides is decides


def test_levels_follow_from_strengths() -> None:
    assert [level_of(s) for s in (0.1, 0.3, 0.59, 0.6)] == [
        Level.INFO,
        Level.WARNING,
        Level.WARNING,
        Level.ERROR,
    ]
