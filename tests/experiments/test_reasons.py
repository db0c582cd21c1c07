from experiments.reasons.counting import Seen, tallies
from experiments.reasons.learning import learned

KEY = ("signal", "reason")


def seen(
    question: str, *, incorrect: bool, fires: bool, measure: float | None = None, base: str = "a"
) -> Seen:
    found = {KEY: measure} if fires else {}
    return Seen("spider", base, question, incorrect, found)


def known(grade: str, **fields: float) -> dict[str, dict[str, dict[str, object]]]:
    return {"signal": {"reason": {"grade": grade, "level": "info", **fields}}}


def predictions(n: int, *, precise: bool) -> list[Seen]:
    """Return 4n questions, a quarter incorrect; the reason marks these, or as many others."""
    return [
        seen(f"q{k}", incorrect=k < n, fires=k < n if precise else n <= k < 2 * n)
        for k in range(4 * n)
    ]


def test_counts_move_a_strength_from_its_grade() -> None:
    start = known("moderate", strength=0.4)
    few = learned(start, tallies(predictions(3, precise=True)), frozenset())
    many = learned(start, tallies(predictions(300, precise=True)), frozenset())
    never = learned(start, tallies(predictions(300, precise=False)), frozenset())
    strengths = [found["signal"]["reason"]["strength"] for found in (never, few, many)]
    assert 0.02 == strengths[0] < 0.4 < strengths[1] < 0.6 < 0.9 < strengths[2]
    assert many["signal"]["reason"]["level"] == "error"
    assert many["signal"]["reason"] | {"strength": 0} == {
        "grade": "moderate",
        "strength": 0,
        "level": "error",
        "count": 300,
        "precision": 1.0,
        "sources": ["a"],
    }


def test_predictions_of_one_question_count_together() -> None:
    one = [seen("same", incorrect=True, fires=True) for _ in range(100)]
    rest = [seen(f"q{k}", incorrect=False, fires=False) for k in range(300)]
    start = known("moderate", strength=0.4)
    together = learned(start, tallies([*one, *rest]), frozenset())
    apart = learned(start, tallies(predictions(100, precise=True)), frozenset())
    low, high = (found["signal"]["reason"]["strength"] for found in (together, apart))
    assert 0.4 < low < high


def test_degrees_keep_their_proportion_and_learning_again_changes_nothing() -> None:
    items = [
        seen(f"q{k}", incorrect=k % 4 == 0, fires=k % 3 == 0, measure=(k % 16) / 16)
        for k in range(400)
    ]
    start = known("moderate", strength=0.2, at_most=0.6)
    once = learned(start, tallies(items), frozenset())
    fields = once["signal"]["reason"]
    assert abs(fields["at_most"] / fields["strength"] - 3.0) < 0.02
    assert learned(once, tallies(items), frozenset()) == once


def test_fixed_signals_are_only_counted() -> None:
    start = known("moderate", strength=0.4)
    fields = learned(start, tallies(predictions(300, precise=True)), frozenset({"signal"}))
    assert fields["signal"]["reason"]["strength"] == 0.4
    assert fields["signal"]["reason"]["count"] == 300
