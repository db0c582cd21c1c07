"""Scripts of many statements, such as dumps, cut into their statements."""

from __future__ import annotations

import re
from collections.abc import Iterator

_COMMENT = r"--[^\n]*|/\*.*?(?:\*/|\Z)"
_PLAIN = r"'(?:[^']|'')*'"
_ESCAPED = r"'(?:[^'\\]|\\.|'')*'"
_QUOTED = r'"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]\n]*\]'
_DOLLAR = r"\$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|\Z)"
_COPY = re.compile(r"^COPY\b[^;]*\bFROM\s+stdin;[ \t]*\n.*?(?:^\\\.[ \t]*$|\Z)", re.M | re.S | re.I)
_META = re.compile(r"^(?:\\|DELIMITER\b)[^\n]*", re.M)
_NOT_LINE_END = re.compile(r"[^\n]")


def statements_of(text: str, escapes: bool) -> Iterator[tuple[int, str]]:
    """Yield the line and text of each statement, without the comments in front of it."""
    # What is no SQL is blanked, so that lines keep their numbers.
    for pattern in (_COPY, _META):
        text = pattern.sub(lambda part: _NOT_LINE_END.sub(" ", part[0]), text)
    plain = _ESCAPED if escapes else rf"[eE]{_ESCAPED}|{_PLAIN}"
    comment = rf"{_COMMENT}|\#[^\n]*" if escapes else _COMMENT
    token = re.compile(rf"(?P<comment>{comment})|{plain}|{_QUOTED}|{_DOLLAR}|(?P<end>;)|.", re.S)
    start: int | None = None
    line, counted = 1, 0
    for part in token.finditer(text):
        if part["end"]:
            if start is not None:
                yield line, text[start : part.start()]
            start = None
        elif start is None and not part["comment"] and not part[0].isspace():
            start = part.start()
            line += text.count("\n", counted, start)
            counted = start
    if start is not None and text[start:].strip():
        yield line, text[start:]
