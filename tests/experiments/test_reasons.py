from collections.abc import Mapping
from typing import Any

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
    assert strengths[0] < 0.4 < strengths[1] < strengths[2]
    fields = many["signal"]["reason"]
    assert fields["spread"] > 0.0
    counted = fields["populations"]["spider"]
    assert (counted["count"], counted["databases"]) == (300, 1)


def on_databases(precisions: dict[str, float], n: int = 40) -> list[Seen]:
    """Return findings on some databases, a share of each on incorrect queries, and the rest."""
    items = []
    for base, share in precisions.items():
        wrong = round(share * n)
        items += [seen(f"{base}{k}", incorrect=k < wrong, fires=True, base=base) for k in range(n)]
        items += [
            seen(f"{base}-{k}", incorrect=k < n - wrong, fires=False, base=base)
            for k in range(3 * n)
        ]
    return items


def worth_of(precisions: dict[str, float]) -> Mapping[str, Any]:
    start = known("strong", strength=0.65)
    return learned(start, tallies(on_databases(precisions)), frozenset())["signal"]["reason"]


def test_what_holds_on_many_databases_is_worth_more_than_the_same_on_one() -> None:
    one = worth_of({"a": 0.95})
    many = worth_of({f"d{k}": 0.95 for k in range(12)})
    assert many["precision"] > one["precision"]
    assert many["spread"] < one["spread"]


def test_databases_that_differ_make_a_reason_less_sure_of_the_next_one() -> None:
    alike = worth_of({f"d{k}": 0.75 for k in range(12)})
    unlike = worth_of({f"d{k}": 0.95 if k % 2 else 0.55 for k in range(12)})
    assert unlike["spread"] > alike["spread"]


def test_a_precision_is_shared_with_what_the_database_says_of_others() -> None:
    high = worth_of({"a": 0.95, "b": 0.95})
    mixed = worth_of({"a": 0.95, "b": 0.95, "c": 0.2, "d": 0.2, "e": 0.2})
    assert mixed["precision"] < high["precision"] - 0.1


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
    assert fields["signal"]["reason"]["populations"]["spider"]["count"] == 300
