"""The shape of a signal: a function with metadata, found by name in one registry.

A signal is a function of a case and its context that yields findings::

    @signal(
        code="PRED01", name="empty_predicate", group=Group.DATABASE, family="value",
        clauses={Clause.WHERE}, needs={Need.DATABASE}, cost=Cost.QUERY, version=1,
    )
    def empty_predicate(case: Case, context: Context) -> Iterator[Finding]: ...

Its docstring, under fixed headings, is its documentation: the generated page, the error report's
description and the correction instruction are read from it.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from clausewise.errors import NotAllChecked, NotApplicable, RegistryError
from clausewise.registry import Registry
from clausewise.signals.reasons import Graded, Reason, reasons_of
from clausewise.types import Case, Clause, Cost, Finding, Group, Need

if TYPE_CHECKING:
    from clausewise.expectation import Expectation
    from clausewise.signals.context import Context

SignalFunction: TypeAlias = "Callable[[Case, Context], Iterator[Finding]]"
F = TypeVar("F", bound="SignalFunction")

HEADINGS = (
    "What it measures",
    "Why it points to an error",
    "Fires on",
    "Stays silent on",
    "Does not apply when",
    "How to repair",
    "Cost",
    "References",
)
"""The headings of a signal's docstring, in this order; a contract check demands them all."""


@dataclass(frozen=True, slots=True)
class SignalSpec:
    """A signal's metadata and its function.

    `family` groups signals that look at the same kind of mistake and so tend to fire together.
    `sets` are named selections across groups, such as `sqlens`. `time_limit` is in seconds of
    wall clock for one case; a signal that exceeds it is a FAULT. `calls` are those to a language
    model that one case costs, 0 where none is asked; `combinable` says that one call may answer
    it together with others (`LLMSettings.combined`). `only_named` is true of a signal so expensive
    that a selector must have its name, its code or a set of its. `votes` is false of a signal whose
    findings are shown and move no probability. `reasons` are those that its findings can name.
    `expectation` is what the detector that runs it expects of queries, None for what is packaged.
    """

    code: str
    name: str
    group: Group
    family: str
    clauses: frozenset[Clause]
    needs: frozenset[Need]
    cost: Cost
    version: int
    function: SignalFunction
    sets: frozenset[str] = frozenset()
    time_limit: float = 30.0
    calls: int = 0
    combinable: bool = False
    only_named: bool = False
    votes: bool = True
    sections: Mapping[str, str] = field(default_factory=dict, repr=False)
    reasons: Mapping[str, Reason] = field(default_factory=dict, repr=False)
    expectation: Expectation | None = field(default=None, repr=False)

    @property
    def reads_english(self) -> bool:
        """Whether it reads the question by English words itself; a model reads any language."""
        return Need.QUESTION in self.needs and Need.LLM not in self.needs

    @property
    def description(self) -> str:
        """The first sentence of the docstring."""
        return self.sections.get("", "")

    @property
    def example(self) -> str:
        """What the signal fires on, from the docstring."""
        return self.sections.get("Fires on", "")

    @property
    def instruction(self) -> str:
        """What to do about a finding, from the docstring."""
        return self.sections.get("How to repair", "")


def docstring_sections(function: Callable[..., object]) -> dict[str, str]:
    """Split a docstring at the fixed headings; the text before the first one has the key ``""``."""
    text = inspect.getdoc(function) or ""
    pattern = "^(" + "|".join(re.escape(heading) for heading in HEADINGS) + ")$"
    parts = re.split(pattern, text, flags=re.MULTILINE)
    sections = {"": parts[0].strip()}
    for heading, body in zip(parts[1::2], parts[2::2], strict=True):
        sections[heading] = inspect.cleandoc(re.sub(r"\A\n-+\n", "\n", body)).strip()
    return sections


class SignalRegistry(Registry[SignalSpec]):
    """Signals by name; a code, too, may be used only once."""

    def __init__(self) -> None:
        super().__init__("signal")
        self._codes: dict[str, str] = {}

    def register(self, spec: SignalSpec) -> None:
        """Add a signal.

        Raises RegistryError where its name or its code is taken or its code is malformed.
        """
        if not re.fullmatch(r"[A-Z]{3,5}\d{2,3}", spec.code):
            raise RegistryError(
                f"signal '{spec.name}': code '{spec.code}' is not a bundle prefix and a number"
            )
        if spec.code in self._codes:
            raise RegistryError(
                f"signal '{spec.name}': code {spec.code} belongs to '{self._codes[spec.code]}'"
            )
        self.add(spec.name, spec)
        self._codes[spec.code] = spec.name


SIGNALS = SignalRegistry()
"""Every signal known in this process; filled by `clausewise.signals.load_signals`."""


def signal(
    *,
    code: str,
    name: str,
    group: Group | str,
    family: str,
    clauses: Iterable[Clause],
    needs: Iterable[Need],
    cost: Cost,
    version: int,
    reasons: Mapping[str, Graded] | None = None,
    sets: Iterable[str] = (),
    time_limit: float = 30.0,
    calls: int = 0,
    combinable: bool = False,
    only_named: bool = False,
    votes: bool = True,
    registry: SignalRegistry = SIGNALS,
) -> Callable[[F], F]:
    """Register the decorated function as a signal and return it unchanged.

    `reasons` maps each named reason to what it means in a sentence, or to the sentence and one of
    four grades; see `clausewise.signals.reasons` for what they are worth. The other parameters
    are the fields of `SignalSpec`.

    A signal that needs the question or the evidence says so in its outcome where only a part of
    them was read.

    Raises RegistryError where the name or the code is taken.
    """
    needed = frozenset(needs)

    def register(function: F) -> F:
        whole = _says_what_is_unread(function) if needed & _READ_TEXTS else function
        registry.register(
            SignalSpec(
                code=code,
                name=name,
                group=Group(group),
                family=family,
                clauses=frozenset(clauses),
                needs=needed,
                cost=cost,
                version=version,
                function=whole,
                sets=frozenset(sets),
                time_limit=time_limit,
                calls=calls,
                combinable=combinable,
                only_named=only_named,
                votes=votes,
                sections=docstring_sections(function),
                reasons=reasons_of(name, reasons or {}),
            )
        )
        return function

    return register


_READ_TEXTS = frozenset({Need.QUESTION, Need.EVIDENCE})


def _says_what_is_unread(function: SignalFunction) -> SignalFunction:
    """Let a signal end with NotAllChecked where the question or the evidence was read in part."""

    @functools.wraps(function)
    def whole_case(case: Case, context: Context) -> Iterator[Finding]:
        try:
            yield from function(case, context)
        except (NotApplicable, NotAllChecked) as reason:
            if not context.unread:
                raise
            raise type(reason)(f"{reason}; {context.unread}") from None
        if context.unread:
            raise NotAllChecked(context.unread)

    return whole_case
