"""How a probability comes about, in rounded numbers that add up."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from clausewise.question.language import ONLY_ENGLISH
from clausewise.types import Finding, OutcomeStatus, ScoredCase

_EXACT = 1_000_000
"""Scores give log-odds in millionths; whole ones add up without rounding."""
_SHOWN = 10_000
"""Millionths of what is shown: log-odds are shown in hundredths."""
_LARGEST = 1_000.0
"""Log-odds beyond it are no log-odds of a probability; a file may hold any number."""
_NEAR = 5e-4
"""Half of the last digit that is shown of a probability."""
_SMALLEST = 1e-6
"""Probabilities of a scores file have 6 digits."""
_FINDINGS, _UNEXPLAINED = "findings", "unexplained"
_Key = TypeVar("_Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class PartView:
    """One part of the log-odds: what it is, and its signed amount."""

    label: str
    amount: str


@dataclass(frozen=True, slots=True)
class SumView:
    """The parts of the log-odds of being incorrect; their amounts add up to `total`."""

    parts: tuple[PartView, ...]
    total: str


@dataclass(frozen=True, slots=True)
class Amounts:
    """Log-odds in hundredths, rounded together so that they add up as they are shown.

    `findings` has one for each finding that is written out, None where it is not known; `more`
    what the findings that are only counted have together, by the place of the finding that they
    are like. `summed` is None where the case has no explanation.
    """

    findings: tuple[int | None, ...]
    more: Mapping[int, int]
    summed: SumView | None


def amounts(
    case: ScoredCase, written: Sequence[Finding], counted: Mapping[int, Sequence[Finding]]
) -> Amounts:
    """Return what there is to show of the parts of a case's log-odds.

    Parameters
    ----------
    case
        A scored case.
    written
        Its findings that are written out.
    counted
        Place in `written` to the findings that are only counted there. Those that the scores
        file leaves out are added to the last finding of their signal.
    """
    moved: dict[tuple[str, int], int] = {
        ("finding", place): amount
        for place, finding in enumerate(written)
        if (amount := _exact(finding.contribution)) is not None
    }
    for place, amount in _of_counted(case, written, counted).items():
        moved["more", place] = amount
    summed = None
    if case.explanation is None or case.p_correct is None:
        rounded = {key: _nearest(amount) for key, amount in moved.items()}
    else:
        parts = {name: _exact(part) or 0 for name, part in case.explanation.to_dict().items()}
        prior = _share(parts["prior"])
        if moved:
            parts[_FINDINGS] = sum(moved.values())
        if left := _unexplained(sum(parts.values()), 1.0 - case.p_correct):
            parts[_UNEXPLAINED] = left
        total = _nearest(sum(parts.values()))
        shown = _rounded(parts, total)
        rounded = _rounded(moved, shown.get(_FINDINGS, 0))
        summed = SumView(_labeled(case, shown, prior), signed(total))
    return Amounts(
        findings=tuple(rounded.get(("finding", place)) for place in range(len(written))),
        more={place: amount for (kind, place), amount in rounded.items() if kind == "more"},
        summed=summed,
    )


def signed(amount: int) -> str:
    """Return hundredths as a number with its sign.

    >>> signed(290), signed(-5), signed(0)
    ('+2.90', '-0.05', '0.00')
    """
    return f"{amount / 100:+.2f}" if amount else "0.00"


def weight_text(amount: int) -> str:
    """Return what a finding's part of the log-odds, in hundredths, does to the odds.

    >>> weight_text(298), weight_text(0)
    ('+2.98, raised the odds of an error 20-fold', 'did not move the probability')
    """
    if not amount:
        return "did not move the probability"
    factor = math.exp(min(abs(amount) / 100, 20.0))
    digits = 2 if factor < 2 else 1 if factor < 10 else 0
    direction = "raised" if amount > 0 else "lowered"
    return f"{signed(amount)}, {direction} the odds of an error {factor:,.{digits}f}-fold"


def sum_text(summed: SumView, probability: str) -> str:
    """Return the parts, their sum and the probability on one line."""
    parts = ", ".join(f"{part.label} {part.amount}" for part in summed.parts)
    return f"{parts}; sum {summed.total}, p(correct) = {probability}"


def _exact(amount: float | None) -> int | None:
    """Return log-odds in millionths; None where they are not known."""
    if amount is None or math.isnan(amount):
        return None
    return round(_EXACT * max(-_LARGEST, min(_LARGEST, amount)))


def _nearest(amount: int) -> int:
    return (amount + _SHOWN // 2) // _SHOWN


def _of_counted(
    case: ScoredCase, written: Sequence[Finding], counted: Mapping[int, Sequence[Finding]]
) -> dict[int, int]:
    """Return the millionths of the findings that are only counted, where they are known."""
    found: dict[int, list[int]] = {
        place: _known(findings) for place, findings in counted.items() if _known(findings)
    }
    last = {finding.signal: place for place, finding in enumerate(written)}
    for signal, count in case.more_findings.items():
        shares = _known(finding for finding in case.findings if finding.signal == signal)
        if shares:
            # A signal's findings share its part equally; only a deciding one has more.
            found.setdefault(last[signal], []).append(count * min(shares))
    return {place: sum(amounts) for place, amounts in found.items()}


def _known(findings: Iterable[Finding]) -> list[int]:
    exact = [_exact(finding.contribution) for finding in findings]
    return [amount for amount in exact if amount is not None]


def _unexplained(total: int, incorrect: float) -> int:
    """Return what the parts lack to the log-odds of the probability; 0 where nothing shows."""
    if abs(_share(total) - incorrect) <= _NEAR:
        return 0
    kept = min(max(incorrect, _SMALLEST), 1.0 - _SMALLEST)
    return round(_EXACT * (math.log(kept) - math.log1p(-kept))) - total


def _rounded(exact: Mapping[_Key, int], total: int) -> dict[_Key, int]:
    """Return hundredths that add up to `total`, each the one below or above the amount.

    `total` is the sum of the amounts in hundredths, rounded up or down.
    """
    lower = {key: amount // _SHOWN for key, amount in exact.items()}
    lacking = total - sum(lower.values())
    nearest = sorted(exact, key=lambda key: -(exact[key] % _SHOWN))
    return lower | {key: lower[key] + 1 for key in nearest[:lacking]}


def _labeled(case: ScoredCase, shown: Mapping[str, int], prior: float) -> tuple[PartView, ...]:
    """Return the parts as they are shown; candidates and judges only where they count.

    Findings that moved nothing are not counted.
    """
    moving = [finding for finding in case.findings if not finding.moves_nothing]
    number = len(_known(moving)) + sum(case.more_findings.values())
    left_out = {"answers": True, _FINDINGS: not number}
    labels = {
        "prior": f"prior ({prior:.0%} incorrect)",
        "silence": f"silence of the {'other ' if number else ''}signals",
        "shape": "shape of the query",
        "expectation": f"fit with the question{' (not read)' if unread_reasons(case) else ''}",
        "answers": "candidates and judges",
        _FINDINGS: "1 finding" if number == 1 else f"{number} findings",
        _UNEXPLAINED: "not explained",
    }
    return tuple(
        PartView(label, signed(shown[name]))
        for name, label in labels.items()
        if name in shown and (shown[name] or not left_out.get(name))
    )


def unread_reasons(case: ScoredCase) -> list[str]:
    """Return, for each signal that could not read the question's language, why."""
    return [
        reason
        for name, reason in case.signal_reasons.items()
        if reason.endswith(ONLY_ENGLISH) and case.signals.get(name) is OutcomeStatus.NOT_APPLICABLE
    ]


def _share(log_odds: int) -> float:
    """Return the probability for log-odds in millionths."""
    return 0.5 * (1.0 + math.tanh(0.5 * log_odds / _EXACT))
