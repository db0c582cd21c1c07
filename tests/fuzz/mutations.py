"""Mutations of real cases: what systems, users and attackers put into queries and questions.

Everything is drawn from the `random.Random` given, so that the same seed gives the same cases.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence

from clausewise.types import Case

_TOKEN = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|\w+(?:\.\w+)*|\s+|[<>!=]=|<>|\|\||[^\w\s]")
_NUMBER = re.compile(r"\b\d+(?:\.\d+)?\b")
_DIGITS_400 = "9" * 400

HOSTILE_TOKENS = (
    "", " ", ";", ";;", "--", "/*", "*/", "/* x */", "(", ")", "()", "((", ",", ".", "*", "'", '"',
    "`", "[", "]", "\x00", "\ud800", "\u202e", "\u00b2", "\u0663", "\u00bd", "NULL", "NOT",
    "NOT NOT",
    "AND", "OR", "IN ()", "IS NULL", "IS NOT NULL", "BETWEEN 1 AND", "LIKE '%'", "LIKE ''",
    "GLOB '*'", "ESCAPE '\\'", "COLLATE NOCASE", "DISTINCT", "ALL", "UNION", "EXCEPT",
    "VALUES (1),(2)",
    "ORDER BY 1", "ORDER BY 99", "ORDER BY RANDOM()", "GROUP BY 1", "HAVING 1", "LIMIT 0",
    "LIMIT -1 OFFSET 99999", "LIMIT 1e308", "LIMIT 5, 5", "LIMIT '3'", "LIMIT 9223372036854775808",
    "NATURAL JOIN", "CROSS JOIN", "LEFT JOIN", "JOIN", "ON", "USING (id)", "AS",
    "WITH x AS (SELECT 1)",
    "CASE WHEN 1 THEN 2 END", "CASE", "END", "EXISTS (SELECT 1)", "(SELECT 1)", "(SELECT NULL)",
    "COUNT(*)", "COUNT(DISTINCT 1)", "SUM(NULL)", "MAX(1, 2)", "AVG('x')", "1 / 0", "0 / 0.0",
    "- - 1",
    "CAST(1 AS REAL)", "CAST('x' AS INTEGER)", "julianday('now')", "strftime('%Y', 'x')",
    "'' || NULL",
    "x'00ff'", "0x7FFFFFFFFFFFFFFF", "9223372036854775807", "-9223372036854775808", "1e308",
    "1e-400",
    "9e999", "-9e999", "1.", ".5", "1e", "'nan'", "'inf'", "'1e999'", "'" + "9" * 400 + "'", "TRUE",
    "row_number() OVER (ORDER BY 1)", "SUM(1) OVER ()", "json_each('[1]')", "rowid", "IIF(1, 2, 3)",
    "=", "==", "<>", "!=", "<", ">=", "||", "%", "~", "&", "<<", "->", "->>", "IS", "MATCH",
)  # fmt: skip
ODD_NUMBERS = (
    "0", "-1", "1e308", "-1e308", "9e999", "0.1e-300", "99999999999999999999",
    "9223372036854775807",
    "007", "1.0", "1_000", "0x10", "9" * 60, "'12'", "1e5", "3.14159265358979323846264338327950288",
)  # fmt: skip
ODD_WORDS = (
    "", "?", "???", ".", "\x00", "\ud800", "\udfff", "\u202e", "\u200f", "\u2066", "\u00b2",
    "\u00bd",
    "\u0663\u0664", "\u4e00\u4e8c", "\U0001f600", "e\u0301", "\ufb01", "\u0130", "''", '""', "'",
    '"',
    "`", "\u201c", "\u2018", "\u00ab", "'a' b'", "O'Brien's", "'", "1/2/3", "2012-02-30",
    "31/31/2010",
    "0000-00-00", "March 99", "Feb 30, 2010", "May", "q5", "Q3 2015", "0s", "1990s", "the 90s",
    "24:61", "1:2:3:4", "1,2,3,4", "1,000,000.5", "10-20", "20-10", "1/0", "1990-", "-5", "5%",
    "per cent",
    "50 percent", "half a", "a third of", "two dozen dozen dozen", "nineteen oh", "hundred and",
    "one million million million", "twenty-twenty-first", "zero", "1st", "3rd century", "2k", "$5m",
    "1e400", _DIGITS_400, "0." + _DIGITS_400, _DIGITS_400 + "%", _DIGITS_400 + "-1",
    "March " + _DIGITS_400,
    "at least", "more than", "between 5 and", "either", "or", "not", "no", "never", "without",
    "each",
    "per", "for each of the", "the most", "least", "the first", "oldest", "how many", "which",
    "who",
    "list", "show", "and", ", and", "as well as", "also", "number of", "average", "their", "its",
    "(",
    ")", ";", ":", "\n", "\t", "x" * 300, "a-b-c-d-e", "a.b.c", "U.S.", "no.", "Mr.", "e.g.",
)  # fmt: skip
ODD_STATEMENTS = (
    "x refers to", "refers to y", "= ", "a = ", "a = 'x", "a = ''", "a IN (", "a in ('x', 'y')",
    "a between",
    "a between 1 and", "a > " + _DIGITS_400, "a = 1e999", "max(", "MAX(a) - MIN(a", "DIVIDE(a, )",
    "DIVIDE(COUNT(a = 'x'), COUNT(a)) * 100", "SUM(a) / 0", "((((((a", "a))))",
    "a + b + c - d * e / f",
    "is the", "x is a", "full name means first, last", "'a' refers to 'b'", '"', "`", "[", ";;;",
    ".",
    "a has no value", "a is not empty", "a like '%", "a <> null", "a != b", "a.b.c = d.e.f", "-",
    "*",
    "a = '\ud800'", "\x00", "a = '\u00b2'", "percentage = MULTIPLY(DIVIDE(a, b), 100)",
)  # fmt: skip

KINDS = {
    re.compile(r"'.*'", re.DOTALL): (
        "''", "' '", "'%'", "'_'", "'a''b'", "'nan'", "'1e999'", "'2010-02-30'", "'\u00b2'",
        "'\u0663'",
        "'" + "long " * 100 + "'", "NULL", "1", "1.5", "x'00'", "(SELECT 'x')", "'x' || 'y'",
        "date('now')",
    ),
    re.compile(r"\d+(?:\.\d+)?"): (
        *ODD_NUMBERS, "NULL", "''", "(SELECT 1)", "1 / 0", "TRUE", "- 3", "2 + 2",
    ),
    re.compile(r"(?i:min|max|sum|avg|count|total|upper|lower|length|abs|round|date|substr)"): (
        "MIN", "MAX", "SUM", "AVG", "COUNT", "TOTAL", "GROUP_CONCAT", "UPPER", "ABS", "ROUND",
        "LENGTH",
        "TYPEOF", "COALESCE", "CAST", "IIF", "NULLIF", "JULIANDAY", "SUM(DISTINCT x), MAX",
    ),
    re.compile(r"(?i:and|or|union|intersect|except|left|inner|asc|desc|distinct|not|like|in|is)"): (
        "AND", "OR", "AND NOT", "OR NOT", "UNION", "UNION ALL", "EXCEPT", "LEFT", "CROSS", "LIKE",
        "IN",
        "NOT IN", "IS", "IS NOT", "GLOB", "DESC", "NOT", "", "ALL",
    ),
    re.compile(r"[<>!=]=?|<>|[-+*/%]"): (
        "=", "==", "<>", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "||", " LIKE ",
        " IS ",
    ),
    re.compile(r"[^\W\d]\w*\.\w+|[a-z_][a-z0-9_]*"): (
        "rowid", "*", "x", "id", '"id"', "'id'", "NULL", "1",
    ),
}  # fmt: skip
"""What a token is, first match first, and what else may stand in its place."""

Edit = Callable[[str, random.Random], str]


def mutated_cases(cases: Sequence[Case], count: int, seed: int | str) -> Iterator[Case]:
    """Yield `count` mutations of cases drawn from `cases`, the same ones for the same seed."""
    rng = random.Random(seed)
    for number in range(count):
        case = rng.choice(cases)
        yield mutated(case, rng).model_copy(update={"question_id": number})


def mutated(case: Case, rng: random.Random) -> Case:
    """Return the case with one or several of its texts changed."""
    changes: dict[str, object] = {}
    parts = rng.choices(
        ("sql", "question", "evidence", "candidates"), (4, 3, 2, 1), k=rng.randint(1, 3)
    )
    for part in parts:
        if part == "sql":
            sql = str(changes.get("predicted_sql", case.predicted_sql))
            changes["predicted_sql"] = rng.choice(SQL_EDITS)(sql, rng)
        elif part == "question":
            question = str(changes.get("question", case.question))
            changes["question"] = rng.choice(QUESTION_EDITS)(question, rng)
        elif part == "evidence":
            changes["evidence"] = rng.choice(EVIDENCE_EDITS)(case.evidence or "", rng)
        else:
            changes["candidates"] = _candidates(case, rng)
    return case.model_copy(update=changes)


def _candidates(case: Case, rng: random.Random) -> tuple[str, ...]:
    texts = [*case.candidates, case.predicted_sql]
    made = [rng.choice(SQL_EDITS)(rng.choice(texts), rng) for _ in range(rng.randint(0, 4))]
    return (*made, *rng.choices(texts, k=rng.randint(0, 2)))


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text)


def _places(parts: Sequence[str], rng: random.Random, most: int = 3) -> list[int]:
    wanted = min(len(parts), rng.randint(1, most))
    return sorted(rng.sample(range(len(parts)), wanted), reverse=True)


def _deleted(text: str, rng: random.Random) -> str:
    parts = _tokens(text)
    for at in _places(parts, rng):
        del parts[at]
    return "".join(parts)


def _doubled(text: str, rng: random.Random) -> str:
    parts = _tokens(text)
    for at in _places(parts, rng):
        parts.insert(at, parts[at] + " ")
    return "".join(parts)


def _swapped(text: str, rng: random.Random) -> str:
    parts = _tokens(text)
    words = [at for at, part in enumerate(parts) if not part.isspace()]
    if len(words) > 1:
        one, other = rng.sample(words, 2)
        parts[one], parts[other] = parts[other], parts[one]
    return "".join(parts)


def _truncated(text: str, rng: random.Random) -> str:
    return text[: rng.randint(0, len(text))]


def _repeated(text: str, rng: random.Random) -> str:
    """Repeat a stretch of the text many times."""
    parts = _tokens(text) or [""]
    start = rng.randrange(len(parts))
    stretch = "".join(parts[start : start + rng.randint(1, 12)]) + " "
    times = rng.choice((2, 3, 10, 60))
    return "".join(parts[:start]) + stretch * times + "".join(parts[start:])


def _with(words: Sequence[str], exchange: bool) -> Edit:
    def edit(text: str, rng: random.Random) -> str:
        parts = _tokens(text) or [""]
        for at in _places(parts, rng):
            word = rng.choice(words)
            parts[at] = word if exchange else f"{parts[at]} {word} "
        return "".join(parts)

    return edit


def _alike(text: str, rng: random.Random) -> str:
    """Exchange words, constants and operators for others of their kind: most still parse."""
    parts = _tokens(text)
    kinds = [next((kind for kind in KINDS if kind.fullmatch(part)), None) for part in parts]
    for at in _places(parts, rng, most=6):
        kind = kinds[at]
        if kind is not None:
            same = [part for part, other in zip(parts, kinds, strict=True) if other is kind]
            parts[at] = rng.choice([*same, *KINDS[kind]])
    return "".join(parts)


def _odd_number(text: str, rng: random.Random) -> str:
    return _NUMBER.sub(lambda found: rng.choice((found[0], *ODD_NUMBERS)), text)


def _nested(sql: str, rng: random.Random) -> str:
    """Wrap the query as a sub-query, several times."""
    for _ in range(rng.choice((1, 1, 2, 5))):
        sql = rng.choice(
            (
                f"SELECT * FROM ({sql})",
                f"SELECT * FROM ({sql}) AS t LIMIT 3",
                f"SELECT COUNT(*) FROM ({sql}) LIMIT 1e308",
                f"SELECT 1 WHERE EXISTS ({sql})",
                f"SELECT ({sql})",
                f"WITH x AS ({sql}) SELECT * FROM x",
                f"WITH x AS ({sql}) SELECT * FROM x JOIN x AS y",
                f"{sql} UNION {sql}",
                f"{sql} EXCEPT SELECT 1",
                f"({sql})",
            )
        )
    return sql


def _conditions(sql: str, rng: random.Random) -> str:
    """Add a long list of conditions or columns."""
    parts = _tokens(sql)
    names = [part for part in parts if part.isidentifier()] or ["x"]
    many = rng.choice((5, 40, 250))
    name = rng.choice(names)
    texts = rng.random() < 0.5
    values = [f"'v{at}'" if texts else str(at) for at in range(many)]
    added = rng.choice(
        (
            f" {rng.choice(('WHERE', 'AND', 'OR'))} {name} IN ({', '.join(values)})",
            f" {rng.choice(('WHERE', 'AND'))} " + " OR ".join(f"{name} = {v}" for v in values),
            f" {rng.choice(('WHERE', 'AND'))} " + " AND ".join(f"{name} <> {v}" for v in values),
            f" ORDER BY {', '.join([name] * many)}",
            f" GROUP BY {', '.join([name] * many)}",
        )
    )
    if rng.random() < 0.3 and "FROM" in parts:
        at = parts.index("FROM")
        shown = rng.choice((name, f"COUNT({name})", f"{name} / 7", f"SUM({name} = 'v1')"))
        return "".join(parts[:at]) + ", " + ", ".join([shown] * many) + " " + "".join(parts[at:])
    return sql + added


def _replied(sql: str, rng: random.Random) -> str:
    """Return the query as a language model replies."""
    return rng.choice(
        (
            f"```sql\n{sql}\n```",
            f"SQL: {sql}",
            f"```{sql}",
            f"<think>x</think>{sql}",
            f"{sql}\n-- done",
            f"/* {sql} */",
            f"{sql};;",
            f"Here it is:\n{sql}\nResult: 3",
        )
    )


def _many_words(text: str, rng: random.Random) -> str:
    """Add hundreds of numbers, quoted values, dates or names."""
    many = rng.choice((3, 30, 300))
    words = rng.choice(
        (
            [str(at) for at in range(many)],
            [f"'v {at}'" for at in range(many)],
            [f"March {at % 31}, {1900 + at}," for at in range(many)],
            ["two hundred and"] * many,
            ["Care Plus"] * many,
            ["and the name"] * many,
            ["either or not"] * many,
        )
    )
    return f"{text} {' '.join(words)}"


def _statements(text: str, rng: random.Random) -> str:
    added = rng.choices(ODD_STATEMENTS, k=rng.randint(1, 4))
    return rng.choice(("; ", ". ", "\n", " ")).join([text, *added])


def _nothing(_text: str, _rng: random.Random) -> str:
    return ""


ANY_EDITS: tuple[Edit, ...] = (_deleted, _doubled, _swapped, _truncated, _repeated)
SQL_EDITS: tuple[Edit, ...] = (
    *ANY_EDITS,
    *(_alike,) * 8,
    _with(HOSTILE_TOKENS, exchange=True),
    _with(HOSTILE_TOKENS, exchange=False),
    *(_odd_number,) * 2,
    *(_nested,) * 3,
    *(_conditions,) * 4,
    _replied,
)
QUESTION_EDITS: tuple[Edit, ...] = (
    *ANY_EDITS,
    _with(ODD_WORDS, exchange=True),
    _with(ODD_WORDS, exchange=False),
    _with(ODD_WORDS, exchange=False),
    _odd_number,
    _many_words,
    _nothing,
)
EVIDENCE_EDITS: tuple[Edit, ...] = (
    *ANY_EDITS,
    _statements,
    _statements,
    _with(ODD_WORDS, exchange=False),
    _many_words,
)
