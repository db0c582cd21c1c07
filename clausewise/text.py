"""Text: names quoted for SQL, values shown safely on one line, values as plain JSON.

Text from outside is made safe to show: nothing in it can steer a terminal or reorder a line.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

_REPLACEMENT = "\ufffd"
_REORDERING = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_LINE_ENDS = "\u0085\u2028\u2029"


def _replacements() -> dict[int, str]:
    pictures = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "\u2421"}
    hidden = [*range(0x80, 0xA0), *range(0xD800, 0xE000), *map(ord, _REORDERING + _LINE_ENDS)]
    return pictures | dict.fromkeys(hidden, _REPLACEMENT) | {ord("\n"): "\n", ord("\t"): " "}


_VISIBLE = _replacements()


def visible(text: str) -> str:
    """Return the text with every character that is not printed replaced by one that is.

    Control characters become their pictures (escape is shown as U+241B), those that reorder text
    and lone surrogates become U+FFFD, tabs become spaces; line feeds stay. The length stays the
    same, so that offsets into the original hold.
    """
    return text.replace("\r\n", " \n").translate(_VISIBLE)


def quote_name(name: str) -> str:
    """Return a table's or column's name quoted for SQL, whatever is in it.

    >>> quote_name('order "by" me')
    '"order ""by"" me"'
    """
    return '"' + name.replace('"', '""') + '"'


def quote_text(value: str) -> str:
    """Return a text as a constant of SQL.

    >>> quote_text("O'Hara")
    "'O''Hara'"
    """
    return "'" + value.replace("'", "''") + "'"


def single_spaced(text: str) -> str:
    """Return a text with every run of white space as one blank, none at its ends.

    >>> single_spaced(" a  b\\n")
    'a b'
    """
    return " ".join(text.split())


def one_line(value: object) -> str:
    """Return anything as visible text without line breaks or runs of spaces."""
    return single_spaced(visible(str(value)))


def shortened(text: str, limit: int) -> str:
    """Return at most `limit` characters, saying how many there were where some are left out."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]} ... ({len(text):,} characters)"


def compact(value: object) -> str:
    """Return a value of JSON as visible text on one line; a text stands without quotes."""
    return one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def plain_json(value: Any) -> Any:
    """Return the value with everything that JSON cannot hold turned into text.

    Numbers without a finite value become "nan", "inf" or "-inf"; bytes become their
    hexadecimal digits; any other object its `str`.
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(key): plain_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_json(item) for item in value]
    if isinstance(value, bytes):
        return value.hex()
    return str(value)
