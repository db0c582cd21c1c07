"""What each class of an attribute is called in messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Phrase:
    """`asked` follows "questions worded like this one ask for", `seen` follows "this query"."""

    asked: str
    seen: str
    repair: str


def _phrases(*lines: str) -> dict[str, Phrase]:
    """Return phrases by class from lines of `class | asked | seen | repair`."""
    parts = [[part.strip() for part in line.split("|")] for line in lines]
    return {label: Phrase(asked, seen, repair) for label, asked, seen, repair in parts}


PHRASES: Mapping[str, Mapping[str, Phrase]] = {
    "n_selected": _phrases(
        "1 | one column | selects one | select one column",
        "2 | two columns | selects two | select two columns",
        "3 | three columns | selects three | select three columns",
        "4+ | four or more columns | selects four or more | select all that is asked for",
        "all | whole rows | selects `*` | select `*`",
    ),
    "aggregate": _phrases(
        "none | no count, sum or average | shows none | show the column itself",
        "count | a count | shows a count | show a count",
        "sum | a sum | shows a sum | show a sum",
        "avg | an average | shows an average | show an average",
        "ratio | a ratio | shows a ratio | divide one figure by another",
    ),
    "distinct": _phrases(
        "none | nothing to be taken once only | takes it all | leave DISTINCT out",
        "rows | each row once | lists each row once | write SELECT DISTINCT",
        "counted | each thing to be counted once | counts each thing once"
        " | write COUNT(DISTINCT ...)",
    ),
    "grouping": _phrases(
        "none | no figures by group | groups nothing | leave GROUP BY out",
        "groups | figures by group | computes figures by group | add GROUP BY",
    ),
    "having": _phrases(
        "none | no groups that a figure is compared for | compares no figure of a group"
        " | leave HAVING out",
        "having | groups that a figure is compared for | compares a figure of each group"
        " | add HAVING",
    ),
    "order": _phrases(
        "none | no sorting of all rows | sorts none | leave ORDER BY out, or cut it with LIMIT",
        "asc | rows in ascending order | sorts in ascending order | sort in ascending order",
        "desc | rows in descending order | sorts in descending order | sort in descending order",
    ),
    "limit": _phrases(
        "none | no first few rows | does not cut to several rows | leave LIMIT out or make it 1",
        "several | the first few rows | cuts to several rows | add LIMIT with the number asked for",
    ),
    "extremum": _phrases(
        "none | no highest or lowest | picks none | list what is asked for",
        "high | the highest | takes the highest | sort in descending order or take MAX",
        "low | the lowest | takes the lowest | sort in ascending order or take MIN",
        "both | both the highest and the lowest | takes both | take both ends",
    ),
    "extremum_of": _phrases(
        "none | no extreme value | takes none | list what is asked for",
        "column | the extreme of a column | ranks by a column | rank by the column itself",
        "count | the most or fewest of something | ranks by a count | rank by COUNT(*)",
        "figure | the extreme of a sum or average | ranks by a sum or average"
        " | rank by the sum or average",
    ),
    "n_values": _phrases(
        "0 | no comparison with a constant | compares with none | leave out the constants",
        "1 | comparison with one constant | compares with one | compare with one constant",
        "2 | comparison with two constants | compares with two | compare with both constants",
        "3+ | comparison with three or more constants | compares with three or more"
        " | compare with each constant that is named",
    ),
    "disjunction": _phrases(
        "none | no alternatives | allows alternatives nowhere | require each condition",
        "or | alternatives | accepts any of several conditions | join the conditions by OR",
    ),
    "negation": _phrases(
        "none | what something holds for | excludes nothing | leave the negation out",
        "not | what something does not hold for | excludes something | add NOT IN, `<>` or EXCEPT",
    ),
    "pattern": _phrases(
        "none | no part of a text | looks for no part of one | compare with the whole text",
        "pattern | a part of a text | looks for a part of one | compare with LIKE",
    ),
    "direction": _phrases(
        "none | no values above or below a bound | bounds none | leave out the bound",
        "more | values above a bound | keeps those above one | compare with `>`",
        "less | values below a bound | keeps those below one | compare with `<`",
        "range | values between two bounds | keeps those between two | compare with both bounds",
    ),
    "null_check": _phrases(
        "none | no missing values | asks for none | leave IS NULL out",
        "null | missing values | asks for missing values | add IS NULL",
    ),
    "set_operation": _phrases(
        "none | one result | combines none | write one SELECT",
        "union | two results together | unites results | unite them by UNION",
        "intersect | what two results share | keeps what two results share"
        " | combine them by INTERSECT",
        "except | one result without another | takes one result from another | write EXCEPT",
    ),
    "nested_figure": _phrases(
        "none | no comparison with a computed figure | makes none | compare with what is named",
        "compared | a comparison with a computed figure | compares with a computed figure"
        " | compare with a sub-query",
        "summarized | a figure of figures | computes a figure of figures"
        " | compute the groups first and then their figure",
    ),
    "arithmetic": _phrases(
        "none | no calculation | calculates nothing | show the value itself",
        "plus | a sum or difference of values | adds or subtracts | add or subtract",
        "divided | a quotient | divides | divide",
        "percent | a percentage | computes a percentage | divide and multiply by 100",
    ),
    "date": _phrases(
        "none | no dates | reads none | leave the dates out",
        "date | dates | reads dates | compare the date",
    ),
    "conditional": _phrases(
        "none | values as they are | shows values as they are | show the value itself",
        "cases | a value that depends on a condition | shows what a condition decides | write CASE",
    ),
}
"""Attribute to class to how it is called."""
