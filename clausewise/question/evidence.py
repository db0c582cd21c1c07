"""Evidence statements read without a model: "female refers to gender = 'F'" and the like."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

LONGEST_STATEMENT = 2_000
"""Characters; what is longer is no statement about the database and is not read as one."""
_STATEMENT_END = re.compile(r";|\n|(?<=[^.\s])(?<!^\d)(?<!\s\d)\.\s+(?=[A-Z\"'])|\.\s*$")
_DEFINES = re.compile(
    r"\s+(?:ref[a-z]*s?(?:\s+to(?:\s+as)?|(?=\s+[^\W\d]\w*\s*[=<>]))|means?(?:\s+that)?|"
    r"stands?\s+for|denotes?|indicates?|implies|equals?\s+to|corresponds?\s+to|"
    r"(?:is|are)\s+(?:when|where|if)|"
    r"(?:is|are)\s+(?:denoted|expressed|represented|shown|defined|given)\s+(?:as|by|in|when)|"
    r"appears?\s+in)\s+",
    re.IGNORECASE,
)
_IS_COLUMN = re.compile(r"^(?P<phrase>.+?)\s+(?:is|are)\s+(?:the|a|an)\s+(?P<rest>.+)$", re.DOTALL)
_FORMULA = re.compile(r"^(?P<phrase>[^=<>!()]+?)\s*=\s*(?P<rest>.+)$", re.DOTALL)
_COLUMN_LIST = re.compile(
    r"^(?P<phrase>[^=<>!()'\"]+?)\s*=\s*(?P<rest>[^\W\d]\w*(?:\s*(?:,|\band\b)\s*[^\W\d]\w*)+)\s*$"
)
"""`full name = first_name, last_name`."""
_CODE = re.compile(
    r"(?P<quote>['\"])(?P<code>[^'\"]{1,30})(?P=quote)\s*"
    r"(?:(?:stands?\s+for|is\s+for|is|are|means?|for|refers?\s+to|represents?|denotes?|=|:)\s+)"
    r"(?P<said>(?:[A-Za-z][\w-]*\s*){1,4}?)\s*(?=$|[,;.]|\band\b|\bor\b|['\"])"
)
"""One code of a list: `'F' stands for female, 'M' for male`."""
_CODED_COLUMN = re.compile(r"^(?P<name>[^\W\d]\w*)\b[^'\"]*$")
_QUOTED_NULL = re.compile(r"=\s*(['\"])\s*(?P<denied>not\s+)?null\s*\1", re.I)
_BEFORE_DEFINITION = re.compile(r",\s*(?:and\s+)?|\s+and\s+|\s+while\s+|\s+but\s+", re.I)
_HELD = re.compile(r"\b(?:has|have)\s+(?:a\s+)?values?\b|\bis\s+not\s+empty\b|!\s*=\s*null\b", re.I)
_EMPTY = re.compile(r"\bhas\s+no\s+values?\b|\bis\s+empty\b", re.I)
_FORMULA_HEAD = re.compile(
    r"\b(?:max|min|avg|sum|count|divide|multiply|subtract|add|cast|percentage)\s*\(|[*/]",
    re.IGNORECASE,
)
_NAME = (
    r"(?:\"[^\"]+\"|`[^`]+`|\[[^\]]+\]|[^\W\d]\w*)(?:\s*\.\s*(?:\"[^\"]+\"|`[^`]+`|[^\W\d]\w*))?"
)
_VALUE = (
    r"""(?:'(?:[^']|'(?=\w))*'|"[^"]*"|\d{1,4}[-/]\d{1,2}[-/]\d{1,4}"""
    r"""|-?\d[\d,]*(?:\.\d+)?%?|\w+(?:-\w+)*)"""
)
_COMPARISON = re.compile(
    rf"(?P<function>\b[A-Za-z]+\s*\(\s*)?(?P<name>{_NAME})\s*(?P<close>\)?)\s*"
    rf"(?:(?P<op>!\s*=|<>|>\s*=|<\s*=|==|=|<|>|\blike\b|\bis\s+not\b|\bis\b(?=\s*null))\s*(?P<value>{_VALUE})"
    rf"|\bbetween\s+(?P<low>{_VALUE})\s+and\s+(?P<high>{_VALUE})"
    rf"|(?P<not_in>\bnot\s+)?\bin\s*\(\s*(?P<list>{_VALUE}(?:\s*,\s*{_VALUE})*)\s*\))",
    re.IGNORECASE,
)
_SENTENCE_WORD = re.compile(r"[+*/-]|(?!and\b|or\b|where\b|when\b|then\b)[a-z]", re.IGNORECASE)
_CALL = re.compile(r"\b(?P<function>[A-Za-z]+)\s*\(")
_IDENTIFIER = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)?(?!\w|\s*\()|\"[^\"]+\"|`[^`]+`")
_LISTED = re.compile(rf"\W*{_NAME}(?:(?:\s*[,+&]\s*|\s+and\s+){_NAME})*\W*")
_QUOTED = re.compile(r"\"[^\"]*\"|(?<![\w'])'[^']*'(?!\w)")
_QUOTES = "'\"`[]"
_FUNCTIONS = frozenset(
    {"max", "min", "avg", "average", "sum", "count", "divide", "subtract", "multiply"}
)
_WORDS_NO_VALUES = frozenset({"the", "a", "an", "not", "max", "min", "count", "sum", "avg"})


@dataclass(frozen=True, slots=True)
class EvidenceComparison:
    """`column operator value` as the evidence writes it.

    `column` may hold a table (`T.c`); `operator` one of `=`, `<>`, `<`, `<=`, `>`, `>=`, `LIKE`,
    `IS`, `IS NOT`, `BETWEEN`, `IN`; `values` are texts without their quotes. `function` is the
    lower-case name of a function around the column, empty where there is none.
    """

    column: str
    operator: str
    values: tuple[str, ...]
    function: str
    text: str
    quoted: bool
    """Whether every value stands in quotation marks."""


@dataclass(frozen=True, slots=True)
class EvidenceCall:
    """A function of the evidence's formula, lower case, with the text of its argument."""

    function: str
    argument: str


@dataclass(frozen=True, slots=True)
class EvidenceStatement:
    """One statement: what `phrase` of the question means in terms of the database."""

    phrase: str
    meaning: str
    comparisons: tuple[EvidenceComparison, ...]
    calls: tuple[EvidenceCall, ...]
    identifiers: tuple[str, ...]
    """Every word of the meaning, outside quotes, that could be a column's name, in order."""
    listed: bool
    """Whether the meaning is nothing but such names: `forename, surname`."""
    text: str

    @property
    def is_read(self) -> bool:
        """Whether it is short enough to be read; else only its text is known."""
        return len(self.text) <= LONGEST_STATEMENT


def evidence_statements(evidence: str) -> tuple[EvidenceStatement, ...]:
    """Split evidence into its statements and read each; empty for empty evidence.

    Of one of over `LONGEST_STATEMENT` characters only the text is kept.
    """
    pieces = (piece.strip() for piece in _split_outside_quotes(evidence))
    return tuple(statement for piece in pieces if piece for statement in _statements(piece))


def _statements(text: str) -> list[EvidenceStatement]:
    """Return what one piece says: a list of codes or a chain of definitions says several things."""
    if len(text) > LONGEST_STATEMENT:
        return [_statement(text)]
    codes = _codes(text)
    if codes:
        return codes
    return [_statement(part) for part in _definitions_in(text)]


def _codes(text: str) -> list[EvidenceStatement]:
    """Return what the codes of `sex: 'F' stands for female, 'M' for male` stand for."""
    found = list(_CODE.finditer(text))
    if not found or (len(found) == 1 and found[0].start()):
        return []
    before = _CODED_COLUMN.match(text[: found[0].start()].strip(" :,="))
    column = before["name"] if before is not None else ""
    statements = []
    for match in found:
        code, written = match["code"], match.group().strip()
        comparison = EvidenceComparison(column, "=", (code,), "", f"'{code}'", True)
        names = (column,) if column else ()
        statements.append(
            EvidenceStatement(
                match["said"].strip(), f"'{code}'", (comparison,), (), names, False, written
            )
        )
    return statements


def _definitions_in(text: str) -> list[str]:
    """Split `x refers to a = 1, y refers to b = 2` before what is defined next."""
    hidden = _QUOTED.sub(lambda match: "\0" * len(match.group()), text)
    defines = list(_DEFINES.finditer(hidden))
    cuts = [0]
    for before, after in pairwise(defines):
        between = list(_BEFORE_DEFINITION.finditer(hidden, before.end(), after.start()))
        if between and _depth(hidden, between[-1].start()) == 0:
            cuts.append(between[-1].end())
    cuts.append(len(text))
    return [text[first:last].strip(" ,") for first, last in pairwise(cuts)]


def _depth(text: str, at: int) -> int:
    return text.count("(", 0, at) - text.count(")", 0, at)


def _split_outside_quotes(evidence: str) -> list[str]:
    hidden = _QUOTED.sub(lambda match: "\0" * len(match.group()), evidence)
    pieces, start = [], 0
    for match in _STATEMENT_END.finditer(hidden):
        pieces.append(evidence[start : match.start()])
        start = match.end()
    pieces.append(evidence[start:])
    return pieces


def _statement(text: str) -> EvidenceStatement:
    if len(text) > LONGEST_STATEMENT:
        return EvidenceStatement("", text, (), (), (), False, text)
    phrase, meaning = _phrase_and_meaning(text)
    meaning = _QUOTED_NULL.sub(_null_test, meaning)
    calls = tuple(
        EvidenceCall(match.group("function").lower(), _argument(meaning, match.end()))
        for match in _CALL.finditer(meaning)
        if match.group("function").lower() in _FUNCTIONS
    )
    plain = re.sub(r"'[^']*'", " ", meaning)
    identifiers = tuple(
        dict.fromkeys(match.group().strip(_QUOTES) for match in _IDENTIFIER.finditer(plain))
    )
    listed = bool(phrase) and _LISTED.fullmatch(meaning) is not None
    comparisons = _comparisons(_EMPTY.sub("IS NULL", _HELD.sub("IS NOT NULL", meaning)))
    return EvidenceStatement(phrase, meaning, comparisons, calls, identifiers, listed, text)


def _phrase_and_meaning(text: str) -> tuple[str, str]:
    parts = _DEFINES.split(text, maxsplit=1)
    if len(parts) == 2:
        phrase, meaning = parts[0].strip(), parts[1].strip()
        # "sex = 'F' means female" defines the word after it.
        turned = _COMPARISON.search(phrase) is not None and not _COMPARISON.search(meaning)
        return (meaning, phrase) if turned else (phrase, meaning)
    columns = _COLUMN_LIST.match(text)
    if columns is not None:
        return columns["phrase"].strip(), columns["rest"].strip()
    formula = _FORMULA.match(text)
    if formula is not None and _FORMULA_HEAD.search(formula.group("rest")):
        return formula.group("phrase").strip(), formula.group("rest").strip()
    named = _IS_COLUMN.match(text)
    if named is not None and formula is None:
        return named.group("phrase").strip(), named.group("rest").strip()
    return "", text


def _null_test(match: re.Match[str]) -> str:
    return "IS NOT NULL" if match["denied"] else "IS NULL"


def _argument(meaning: str, start: int) -> str:
    """Return the text from `start` to the bracket that closes, or to the end where none does."""
    depth = 1
    for at in range(start, len(meaning)):
        depth += {"(": 1, ")": -1}.get(meaning[at], 0)
        if depth == 0:
            return meaning[start:at].strip()
    return meaning[start:].strip()


def _comparisons(meaning: str) -> tuple[EvidenceComparison, ...]:
    found = []
    for match in _COMPARISON.finditer(meaning):
        comparison = _comparison(match)
        if comparison is not None:
            found.append(comparison)
    return tuple(found)


def _comparison(match: re.Match[str]) -> EvidenceComparison | None:
    function = re.sub(r"\W", "", match.group("function") or "").lower()
    column = re.sub(r"[\"'`\[\]\s]", "", match.group("name"))
    if match.group("low") is not None:
        raw, operator = [match.group("low"), match.group("high")], "BETWEEN"
    elif match.group("list") is not None:
        raw = re.findall(_VALUE, match.group("list"))
        operator = "NOT IN" if match.group("not_in") else "IN"
    else:
        raw = [match.group("value")]
        operator = " ".join(match.group("op").upper().split())
        operator = operator.replace(" ", "") if operator.endswith("=") else operator
        operator = {"!=": "<>", "==": "="}.get(operator, operator)
    after = match.string[match.end() :].lstrip()
    bare = not raw[0][0].isdigit() and raw[0][0] not in "'\"-"
    goes_on = after[:1] in ("(", ".") or _SENTENCE_WORD.match(after) is not None
    if bare and (raw[0].lower() in _WORDS_NO_VALUES or (goes_on and raw[0].lower() != "null")):
        return None
    values = tuple(value.strip("'\"") for value in raw)
    quoted = all(value[0] in "'\"" for value in raw)
    return EvidenceComparison(column, operator, values, function, match.group().strip(), quoted)
