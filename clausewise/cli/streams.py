"""Standard streams that may be closed, speak another encoding, or be a terminal."""

from __future__ import annotations

import codecs
import io
import os
import re
import select
import sys

from clausewise.text import visible

ESCAPED = "clausewise.escaped"
"""The error handler that writes what an encoding lacks as JSON escapes it."""

_STEERS_TERMINAL = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What JSON leaves as it is and a terminal obeys."""


def _escaped(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return json_escapes(error.object[error.start : error.end]), error.end


codecs.register_error(ESCAPED, _escaped)


def json_escapes(text: str) -> str:
    r"""Return every character as JSON escapes it, in pairs above U+FFFF.

    >>> json_escapes("é")
    '\\u00e9'
    """
    units = text.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def open_streams() -> None:
    """Open what is closed of standard input, output and error on the null device.

    Else the next file that is opened, a database or the results, gets the number of the closed
    one, and what is meant for standard output is written into it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            null = os.open(os.devnull, os.O_RDONLY if number == 0 else os.O_WRONLY)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            os.set_inheritable(number, True)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=ESCAPED)


def echo(text: str, end: str = "\n") -> None:
    """Write text to standard output at once."""
    sys.stdout.write(text + end)
    sys.stdout.flush()


def echo_json(text: str, end: str = "\n") -> None:
    """Write JSON to standard output, see `for_output`."""
    echo(for_output(text, "json"), end)


def for_output(text: str, file_format: str) -> str:
    """Return text of a format such that it stays valid on standard output of any encoding.

    JSON and HTML are UTF-8 by definition, so elsewhere they are written in plain ASCII. On a
    terminal JSON holds no character that steers it.
    """
    if file_format not in ("json", "jsonl", "sarif", "html"):
        return text
    if not _writes_utf8():
        escaped = "xmlcharrefreplace" if file_format == "html" else ESCAPED
        return text.encode("ascii", escaped).decode("ascii")
    if file_format != "html" and sys.stdout.isatty():
        return _STEERS_TERMINAL.sub(lambda found: json_escapes(found.group()), text)
    return text


def _writes_utf8() -> bool:
    return codecs.lookup(sys.stdout.encoding or "utf-8").name == "utf-8"


def safe_line(text: str) -> str:
    """Return a message as one line that cannot steer a terminal, line feeds as their pictures."""
    return visible(text.replace("\n", "\u240a"))


def write_error(message: str) -> None:
    """Write one line to standard error, with nothing but the standard library."""
    sys.stderr.write(safe_line(message) + "\n")
    sys.stderr.flush()


def output_is_gone() -> bool:
    """Whether who reads standard output or error has closed it."""
    if not hasattr(select, "poll"):
        return True
    poll = select.poll()
    for number in (1, 2):
        poll.register(number, 0)
    gone = select.POLLERR | select.POLLHUP | select.POLLNVAL
    return any(event & gone for _, event in poll.poll(0))


def discard_output() -> None:
    """Send what is still buffered nowhere, so that Python does not complain when it shuts down."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            os.dup2(null, stream.fileno())
    os.close(null)
