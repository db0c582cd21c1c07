"""JSON of any depth and with any numbers: what a parser should not be given is carried as text.

Python's parser and writer call themselves for each level and refuse numbers of many digits; what
they can take depends on where they are called from. So the rule is fixed here, by the text alone:
a field nested more than `MOST_LEVELS` deep, or with a number that Python's numbers cannot hold,
becomes a `RawJson`. Both directions work without recursion, hence without limit.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from clausewise.types import Json, RawJson

MOST_LEVELS = 100
MOST_DIGITS = 300
_LARGEST_INTEGER = 10**MOST_DIGITS

_SURROGATE = re.compile("[\ud800-\udfff]")
_SPACE = re.compile(r"[ \t\n\r]*")
_STRING = r'"(?:[^"\\\x00-\x1f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"'
_ANY_STRING = re.compile(r'"(?:[^"\\]+|\\.)*"', re.DOTALL)
_NO_BRACKET = re.compile(r"[^\[\]{}]+")
_TOKEN = re.compile(
    rf"[ \t\n\r]*(?:(?P<mark>[\[\]{{}},:])|(?P<string>{_STRING})"
    r"|(?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<word>true|false|null|NaN|-?Infinity))"
)
_VALUE = frozenset({"[", "{", "string", "number", "word"})
_EXPECTED = {
    ":": "Expecting ':' delimiter",
    ",": "Expecting ',' delimiter",
    "[": "Expecting value",
    "string": "Expecting property name enclosed in double quotes",
}
"""One of what may come next to what is said where something else stands there."""


def finite(number: str) -> float:
    """Return a number, as `parse_float` of a decoder: OverflowError where it is an infinity."""
    value = float(number)
    if math.isinf(value):
        raise OverflowError(number)
    return value


DECODER = json.JSONDecoder(parse_float=finite)


def decode(text: str, decoder: json.JSONDecoder = DECODER) -> Any:
    """Return the one value in a text; in an object, a field beyond the limits is a RawJson.

    The decoder must read numbers by `finite`. Raises json.JSONDecodeError for what is no JSON.
    """
    value, end = decode_at(text, _after_space(text, 0), decoder)
    end = _after_space(text, end)
    if end != len(text):
        raise json.JSONDecodeError("Extra data", text, end)
    return value


def decode_at(text: str, at: int, decoder: json.JSONDecoder) -> tuple[Any, int]:
    """Return the value that begins at `at`, and where it ends; as `decode`."""
    try:
        value, end = decoder.raw_decode(text, at)
    except json.JSONDecodeError:
        raise
    except (ValueError, OverflowError, RecursionError):
        return _decode_fields(text, at, decoder)
    return (value, end) if _within_limits(text[at:end]) else _decode_fields(text, at, decoder)


def _within_limits(text: str) -> bool:
    if text.count("[") + text.count("{") <= MOST_LEVELS:
        return True
    level = 0
    for mark in _NO_BRACKET.sub("", _ANY_STRING.sub("", text)):
        level += 1 if mark in "[{" else -1
        if level > MOST_LEVELS:
            return False
    return True


def _decode_fields(text: str, at: int, decoder: json.JSONDecoder) -> tuple[Any, int]:
    """Return an object field by field, anything else as a whole."""
    if not text.startswith("{", at):
        return _decode_field(text, at, decoder)
    fields: dict[str, Any] = {}
    at = _after_space(text, at + 1)
    while not text.startswith("}", at):
        if fields:
            at = _after_space(text, _after(",", text, at))
        name, at = decoder.raw_decode(text, _after('"', text, at) - 1)
        at = _after_space(text, _after(":", text, _after_space(text, at)))
        fields[name], at = _decode_field(text, at, decoder)
        at = _after_space(text, at)
    return fields, at + 1


def _after(mark: str, text: str, at: int) -> int:
    if text.startswith(mark, at):
        return at + 1
    raise json.JSONDecodeError(_EXPECTED["string" if mark == '"' else mark], text, at)


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _decode_field(text: str, at: int, decoder: json.JSONDecoder) -> tuple[Any, int]:
    extent = _measured(text, at)
    if extent.is_plain:
        return decoder.raw_decode(text, at)
    if extent.constant:
        decoder.parse_constant(extent.constant)
        return text[at : extent.end], extent.end  # as text: it is no JSON
    return RawJson(text[at : extent.end]), extent.end


@dataclass(frozen=True, slots=True)
class _Extent:
    """Where a value ends, and what is in it."""

    end: int
    is_plain: bool
    """Within the limits."""
    constant: str | None
    """NaN or an infinity, which is no JSON."""


def _measured(text: str, at: int) -> _Extent:
    """Read one value token by token; JSONDecodeError where it is no JSON."""
    closing: list[str] = []
    wanted = _VALUE
    is_plain, constant = True, None
    while True:
        found = _TOKEN.match(text, at)
        kind = None if found is None else found["mark"] or found.lastgroup
        if found is None or kind not in wanted:
            expected = next(what for mark, what in _EXPECTED.items() if mark in wanted)
            raise json.JSONDecodeError(expected, text, _after_space(text, at))
        at = found.end()
        if kind in ("[", "{"):
            closing.append("]" if kind == "[" else "}")
            is_plain = is_plain and len(closing) <= MOST_LEVELS
            wanted = _VALUE | {"]"} if kind == "[" else frozenset({"string", "}"})
            continue
        if kind == ",":
            wanted = _VALUE if closing[-1] == "]" else frozenset({"string"})
            continue
        if kind == ":" or (kind == "string" and "word" not in wanted):
            wanted = _VALUE if kind == ":" else frozenset({":"})
            continue
        if kind in ("]", "}"):
            closing.pop()
        elif kind == "number":
            is_plain = is_plain and not _is_large(found["number"])
        elif found["word"] in ("NaN", "Infinity", "-Infinity"):
            constant = constant or found["word"]
        if not closing:
            return _Extent(at, is_plain, constant)
        wanted = frozenset({",", closing[-1]})


def _is_large(number: str) -> bool:
    return len(number) > MOST_DIGITS or math.isinf(float(number))


def to_json(value: Any) -> Json:
    """Return `value` with everything replaced that JSON cannot hold, as `dump_line` says.

    Raises TypeError where a value is of a kind that has no JSON value, RecursionError where it is
    nested too deeply; `carried` takes any depth.
    """
    if isinstance(value, Mapping):
        return to_json_object(value)
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    return _scalar_to_json(value)


def to_json_object(value: Mapping[str, Any]) -> dict[str, Json]:
    """Return `to_json` of every field of an object."""
    return {_without_surrogates(str(key)): to_json(item) for key, item in value.items()}


def carried(value: Any) -> Json:
    """Return `to_json` of a value, as RawJson where it is beyond the limits of a field.

    Raises TypeError where something in it is of a kind that has no JSON value, or holds itself.
    """
    return to_json(value) if _is_plain(value) else RawJson(json_text(value))


def carried_fields(
    fields: Iterable[tuple[object, Any]],
) -> tuple[dict[str, Json], tuple[str, str] | None]:
    """Return `carried` of all fields, and the name of the first that has no JSON value, and why.

    Such fields are left out. An exception in the place of a value says why it has none.
    """
    found: dict[str, Json] = {}
    spoilt: tuple[str, str] | None = None
    for key, value in fields:
        name = _without_surrogates(str(key))
        try:
            if isinstance(value, Exception):
                raise TypeError(str(value))
            found[name] = carried(value)
        except TypeError as error:
            spoilt = spoilt or (name, str(error))
    return found, spoilt


def _is_plain(value: Any) -> bool:
    """Whether a value is within the limits of a field; what holds itself is not."""
    waiting = [(value, 0)]
    while waiting:
        item, level = waiting.pop()
        if isinstance(item, Mapping):
            waiting.extend((inner, level + 1) for inner in item.values())
        elif isinstance(item, list | tuple):
            waiting.extend((inner, level + 1) for inner in item)
        elif isinstance(item, int) and not -_LARGEST_INTEGER < item < _LARGEST_INTEGER:
            return False
        if level > MOST_LEVELS:
            return False
    return True


def json_text(value: Any) -> str:
    """Return a value of any depth as JSON, as `dump_line` writes it.

    Raises TypeError where something in it is of a kind that has no JSON value, or holds itself.
    """
    parts: list[str] = []
    opened: list[_Opened] = []
    holding: set[int] = set()
    item = value
    while True:
        if isinstance(item, Mapping | list | tuple):
            if id(item) in holding:
                raise TypeError("a value that holds itself cannot be written as JSON")
            holding.add(id(item))
            opened.append(_Opened(item))
            parts.append("{" if isinstance(item, Mapping) else "[")
        else:
            parts.append(_scalar_text(item))
        while opened and (following := next(opened[-1].items, None)) is None:
            parts.append("}" if isinstance(opened[-1].container, Mapping) else "]")
            holding.remove(id(opened.pop().container))
        if not opened or following is None:
            return "".join(parts)
        before, item = following
        parts.append(before)


class _Opened:
    """An object or a list of which some is written, with what stands before each of its items."""

    def __init__(self, container: Any) -> None:
        self.container = container
        self.items = self._items()

    def _items(self) -> Iterator[tuple[str, Any]]:
        separator = ""
        if isinstance(self.container, Mapping):
            for name, item in self.container.items():
                yield f"{separator}{_scalar_text(str(name))}: ", item
                separator = ", "
        else:
            for item in self.container:
                yield separator, item
                separator = ", "


def _scalar_text(value: Any) -> str:
    if isinstance(value, RawJson):
        return str(value)
    plain = _scalar_to_json(value)
    if isinstance(plain, int) and not -_LARGEST_INTEGER < plain < _LARGEST_INTEGER:
        return str(Decimal(plain))  # `str` of an integer refuses more than 4,300 digits
    return json.dumps(plain, ensure_ascii=False)


def _scalar_to_json(value: Any) -> str | int | float | None:
    if isinstance(value, str):
        return value if isinstance(value, RawJson) else _without_surrogates(value)
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, Decimal):
        value = float(value) if value.is_finite() else math.nan
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, bytes | bytearray | memoryview):
        return f"X'{bytes(value).hex().upper()}'"
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    raise TypeError(f"a value of type {type(value).__name__} cannot be written as JSON")


def _without_surrogates(text: str) -> str:
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
