"""The categories of faults in an annotation, and which findings speak for which of them.

The three sides are those of GBV-SQL (section 4.3.2, appendices A.1 and B): the query, the question,
the database. Below them the paper's text numbers only the kinds that it gives a case for; those
numbers are kept in `typology`. The other categories are this package's own, four of them after the
patterns of SQLDriller (table 7). `nothing_to_show` is worth knowing and no mistake of anybody.

`findings.json` says for each signal, and where it matters for a reason, the category and a weight
in [0, 2]: how much of what the finding says of a *predicted* query holds for one that a person
wrote. A person who asks for a value that nobody has stored made no mistake, a system most likely
did; `>` for `at least` is a mistake whoever writes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from clausewise.audited_case import FaultSide


@dataclass(frozen=True, slots=True)
class Category:
    """One kind of fault in an annotation.

    `typology` is its number in GBV-SQL where the paper gives one.
    """

    name: str
    side: FaultSide
    title: str
    typology: str | None = None


_A, _B, _C = FaultSide

_ALL = (
    Category("does_not_run", _A, "The query does not run"),
    Category("wrong_join", _A, "Wrong tables or wrong join"),
    Category("omitted_records", _A, "A join drops records that are asked for"),
    Category("duplicated_rows", _A, "Rows are repeated, or wrongly shown once"),
    Category("non_key_identity", _A, "Entities are told apart by what is no key"),
    Category("ties_cut_off", _A, "Equally ranked rows are cut off"),
    Category("wrong_condition", _A, "Wrong condition", "A2.3"),
    Category("wrong_aggregation", _A, "Wrong aggregation or grouping", "A2.4"),
    Category("wrong_value", _A, "A value that the data writes otherwise", "A2.5"),
    Category("null_handling", _A, "Missing values are not thought of", "A2.6.1"),
    Category("wrong_order_or_limit", _A, "Wrong order or limit"),
    Category("wrong_columns", _A, "Other columns than those asked for"),
    Category("needless_parts", _A, "Needless parts", "A1"),
    Category("ambiguous_question", _B, "The question can be read in two ways", "B1.1"),
    Category("assumed_meaning", _B, "The query knows what nobody says", "B2.1"),
    Category("misspelled", _B, "The question misspells a word or a value"),
    Category("value_not_in_data", _B, "A value is named that is nowhere in the data"),
    Category("evidence_conflict", _B, "The evidence is not followed, or is missing"),
    Category("different_subject", _B, "Question and query are about other things"),
    Category("language", _B, "The question is in a language that is not read"),
    Category("stray_blanks", _C, "Blanks around stored values", "C1"),
    Category("mixed_spelling", _C, "One value in several spellings"),
    Category("orphaned_keys", _C, "Keys that refer to no row"),
    Category("duplicate_keys", _C, "Keys that several rows have"),
    Category("numbers_as_text", _C, "Numbers stored as text"),
    Category("empty_for_null", _C, "Empty text where a value is missing"),
    Category("mixed_dates", _C, "Dates in several formats"),
    Category("nothing_to_show", _C, "No row answers: it tells no query from another"),
)  # fmt: skip

CATEGORIES: Mapping[str, Category] = {category.name: category for category in _ALL}
"""Every category by its name, the query's first."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a finding speaks for in a query that a person wrote: a category, and a weight."""

    category: Category
    weight: float


@cache
def _meanings() -> dict[tuple[str, str | None], Meaning]:
    text = (resources.files("clausewise.auditing") / "findings.json").read_text(encoding="utf-8")
    found: dict[tuple[str, str | None], Meaning] = {}
    for signal, fields in json.loads(text).items():
        found[signal, None] = Meaning(CATEGORIES[fields["category"]], fields["weight"])
        for reason, (name, weight) in fields.get("reasons", {}).items():
            found[signal, reason] = Meaning(CATEGORIES[name], weight)
    return found


UNKNOWN_WEIGHT = 0.5
"""Weight of a finding of a signal that the table does not know, such as a plug-in's."""


def meaning_of(signal: str, reason: str) -> Meaning:
    """Return what a finding with that reason speaks for; an unknown one for a wrong condition."""
    known = _meanings()
    meaning = known.get((signal, reason)) or known.get((signal, None))
    return meaning or Meaning(CATEGORIES["wrong_condition"], UNKNOWN_WEIGHT)


def known_findings() -> frozenset[tuple[str, str | None]]:
    """Return the pairs of signal and reason in the table; None for all other reasons."""
    return frozenset(_meanings())
