"""The fewest sets that hold everything."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from clausewise.equivalence import covering
from clausewise.equivalence.covering import smallest_cover


def union(sets: list[int], places: tuple[int, ...]) -> int:
    whole = 0
    for place in places:
        whole |= sets[place]
    return whole


def test_nothing_is_needed_where_there_is_nothing_to_hold() -> None:
    assert smallest_cover([], []) == ()
    assert smallest_cover([0, 0], [1, 1]) == ()


def test_two_sets_are_found_where_the_greedy_choice_takes_three() -> None:
    # The greedy choice begins with the set of four, then needs both others.
    sets = [0b011110, 0b000111, 0b111000]
    assert smallest_cover(sets, [1, 1, 1]) == (1, 2)


def test_of_equally_many_the_cheapest_are_taken() -> None:
    assert smallest_cover([0b11, 0b11, 0b11], [3, 1, 2]) == (1,)


@pytest.mark.parametrize("seed", range(20))
def test_no_smaller_number_holds_everything(seed: int) -> None:
    dice = random.Random(seed)
    sets = [dice.getrandbits(8) & dice.getrandbits(8) for _ in range(8)]
    chosen = smallest_cover(sets, [dice.randint(1, 9) for _ in sets])
    everything = union(sets, tuple(range(8)))
    assert union(sets, chosen) == everything
    fewer = [c for n in range(len(chosen)) for c in combinations(range(8), n)]
    assert not any(union(sets, places) == everything for places in fewer)


def test_with_too_many_combinations_the_choice_still_holds_everything_without_waste(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(covering, "MOST_COMBINATIONS", 0)
    sets = [0b011110, 0b000111, 0b111000, 0b000110]
    chosen = smallest_cover(sets, [1, 1, 1, 1])
    assert union(sets, chosen) == 0b111111
    for place in chosen:
        assert union(sets, tuple(p for p in chosen if p != place)) != 0b111111
