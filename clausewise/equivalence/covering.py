"""The fewest of several sets that together hold everything which any of them holds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb

MOST_COMBINATIONS = 20_000
"""Combinations that are looked at to find fewer sets than the greedy choice has."""


def smallest_cover(sets: Sequence[int], costs: Sequence[int]) -> tuple[int, ...]:
    """Return the positions of few sets whose union is the union of all, in rising order.

    Sets are integers, a bit for each member. The greedy choice (most new members first, then the
    lowest cost, then the first) is made irredundant; then every smaller number of sets is tried,
    as long as there are at most `MOST_COMBINATIONS` combinations, and of equally many sets those of
    the lowest total cost are taken. So up to that limit the number of sets is the smallest.

    >>> smallest_cover([0b0111, 0b1100, 0b0011, 0], [5, 1, 1, 0])
    (1, 2)
    """
    wanted = 0
    for members in sets:
        wanted |= members
    chosen = _irredundant(_greedy(sets, costs, wanted), sets, costs, wanted)
    useful = [place for place, members in enumerate(sets) if members]
    for size in range(1, len(chosen) + 1):
        if comb(len(useful), size) > MOST_COMBINATIONS:
            break
        exact = _cheapest(useful, sets, costs, wanted, size)
        if exact is not None:
            return exact
    return tuple(sorted(chosen))


def _greedy(sets: Sequence[int], costs: Sequence[int], wanted: int) -> list[int]:
    chosen: list[int] = []
    left = wanted
    while left:
        best = max(
            range(len(sets)),
            key=lambda place: ((sets[place] & left).bit_count(), -costs[place], -place),
        )
        chosen.append(best)
        left &= ~sets[best]
    return chosen


def _irredundant(
    chosen: Sequence[int], sets: Sequence[int], costs: Sequence[int], wanted: int
) -> list[int]:
    """Drop what the others make needless, the most expensive first."""
    kept = list(chosen)
    for place in sorted(chosen, key=lambda place: (-costs[place], -place)):
        rest = 0
        for other in kept:
            rest |= sets[other] if other != place else 0
        if rest == wanted:
            kept.remove(place)
    return kept


def _cheapest(
    useful: Sequence[int], sets: Sequence[int], costs: Sequence[int], wanted: int, size: int
) -> tuple[int, ...] | None:
    """Return the cheapest combination of that size which holds everything wanted, if any does."""
    best: tuple[int, tuple[int, ...]] | None = None
    for places in combinations(useful, size):
        union = 0
        for place in places:
            union |= sets[place]
        if union == wanted:
            found = sum(costs[place] for place in places), places
            best = found if best is None else min(best, found)
    return None if best is None else best[1]
