from dataclasses import replace

import pytest

from clausewise.errors import RegistryError
from clausewise.signals import reasons
from clausewise.signals.reasons import Grade, Graded, level_of, reasons_of
from clausewise.types import Clause, ClauseSpan, Finding, Level


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


@pytest.mark.parametrize(
    ("level", "count", "precision", "proven"),
    [
        ("error", 10, 0.9, 0.85),
        ("error", 9, 1.0, None),
        ("error", 500, 0.89, None),
        ("warning", 500, 0.95, None),
        ("error", 0, None, None),
    ],
)
def test_an_error_proves_where_enough_were_counted(
    monkeypatch: pytest.MonkeyPatch,
    level: str,
    count: int,
    precision: float | None,
    proven: float | None,
) -> None:
    saved = {"level": level, "count": count, "precision": precision}
    monkeypatch.setattr(reasons, "strengths", lambda: {"signal": {"odd": saved}})
    place = ClauseSpan(Clause.QUERY, "SELECT 1", 0, 8)
    finding = Finding(place, 0.8, signal="signal", reason="odd")
    assert reasons.proven_probability(finding) == (proven and pytest.approx(proven))
    assert reasons.proven_probability(replace(finding, reason="other")) is None


def test_levels_follow_from_strengths() -> None:
    assert [level_of(s) for s in (0.1, 0.3, 0.59, 0.6)] == [
        Level.INFO,
        Level.WARNING,
        Level.WARNING,
        Level.ERROR,
    ]
