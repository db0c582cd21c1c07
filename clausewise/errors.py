"""Every error that clausewise raises on purpose, in one tree.

::

    ClausewiseError                 base of all; `str()` is a message fit for a user
    ├── InputError                  a file, line or field that cannot be used (exit code 2)
    │   ├── CaseError               one line of a cases, labels or votes file
    │   └── DetectorError           a detector folder: missing, damaged, of another version
    │       └── UntrustedDetectorError
    ├── MissingExtraError           an optional dependency is needed and absent
    ├── DatabaseError               a database cannot be opened or read
    │   ├── QueryDenied             the statement would do more than read
    │   ├── QueryTimeout            the statement used up its time or its steps
    │   ├── QueryTooLarge           the statement used up its memory or made too large a value
    │   ├── QueryFailed             the database refused the statement (no such column, ...)
    │   └── NotProfiled             a column could not be read within its limits
    │       └── NoData              only the schema is known, so nothing can be run or looked up
    ├── ParseError                  SQL text that is not one statement of the dialect
    ├── RegistryError               an unknown name, or a name given twice
    ├── LLMError                    a language model gave no answer that can be used
    │   ├── LLMUnavailable          no connection, no answer in time, overload, a server's fault
    │   ├── LLMRefused              the endpoint refuses the request, and no retry helps
    │   ├── LLMReplyError           the reply is empty, malformed after one re-ask, or a refusal
    │   ├── LLMBudgetExceeded       the request would go over the budget, so it was not sent
    │   └── LLMOffline              the answer is not in the cache, and nothing may be sent
    ├── NotComparable               two queries whose equivalence cannot be examined
    ├── WorkerError                 the processes in which cases are checked cannot be started
    ├── NotApplicable               a signal says: this case is not my kind of input
    │   └── NotInDialect            its idea does not hold in the query's dialect
    ├── NotAllChecked               a signal says: the query has more parts than I look at
    └── NotFittedError              a model is used before `fit`
"""

from __future__ import annotations

import json
from pathlib import Path


class ClausewiseError(Exception):
    """Base of every error that clausewise raises on purpose."""


class InputError(ClausewiseError):
    """A file, line or field that cannot be used; the message names all three where known."""

    def __init__(
        self,
        message: str,
        *,
        path: str | Path | None = None,
        line: int | None = None,
        field: str | None = None,
    ) -> None:
        self.message = message
        self.path = None if path is None else str(path)
        self.line = line
        self.field = field
        super().__init__(str(self))

    def __reduce__(self) -> tuple[object, ...]:
        """Keep the keyword-only details when the error crosses a process border."""
        return (_rebuild_input_error, (type(self), self.message, self.path, self.line, self.field))

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.path, self.line) if part is not None)
        field = f"field '{self.field}': " if self.field else ""
        return f"{place}: {field}{self.message}" if place else f"{field}{self.message}"


def _rebuild_input_error(
    kind: type[InputError], message: str, path: str | None, line: int | None, field: str | None
) -> InputError:
    return kind(message, path=path, line=line, field=field)


class CaseError(InputError):
    """One line of a cases, labels or votes file that cannot be used; the others go on."""


class DetectorError(InputError):
    """A detector folder that is missing, damaged, or written by another version."""


class UntrustedDetectorError(DetectorError):
    """A detector that holds pickled models and was not made by this user on this machine."""


class MissingExtraError(ClausewiseError):
    """An optional dependency is needed and not installed; the message holds the pip command."""

    def __init__(self, what: str, extra: str, hint: str | None = None) -> None:
        self.what = what
        self.extra = extra
        self.hint = hint
        more = "" if hint is None else f"; {hint}"
        super().__init__(f"libraries are missing for {what}; run: {install_command(extra)}{more}")

    def __reduce__(self) -> tuple[object, ...]:
        """Rebuild from both parts when the error crosses a process border."""
        return (MissingExtraError, (self.what, self.extra, self.hint))


def install_command(extra: str) -> str:
    """Return the command that adds an extra to this installation of clausewise.

    clausewise is installed from a folder or an address, which pip records; where there is no
    record, the command is the one for the folder of the clone.
    """
    # Imported here: an installation that lacks nothing never needs them.
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import unquote, urlsplit

    try:
        recorded = distribution("clausewise").read_text("direct_url.json")
        source = json.loads(recorded or "{}")
    except (PackageNotFoundError, ValueError):
        source = {}
    url = str(source.get("url", ""))
    if url.startswith("file://") and "dir_info" in source:
        editable = "-e " if source["dir_info"].get("editable") else ""
        folder = unquote(urlsplit(url).path)
        return f"pip install {editable}'{folder}[{extra}]'"
    return f"pip install '.[{extra}]'"


class DatabaseError(ClausewiseError):
    """A database that cannot be opened or read."""


class QueryDenied(DatabaseError):
    """The statement would do more than read, so it was not run."""


class QueryTimeout(DatabaseError):
    """The statement used up its time or its steps and was interrupted."""


class QueryTooLarge(DatabaseError):
    """The statement used up its memory, or made a value over the size limit."""


class QueryFailed(DatabaseError):
    """The database refused the statement; the message is the database's own."""


class NotProfiled(DatabaseError):
    """A column could not be read within its limits, so it has no profile; says why."""


NO_DATA = "only the schema was given, no data"
"""Why a signal that looks at data does not apply where there is none."""


class NoData(NotProfiled):
    """Only the schema is known: there is no data to run a query on, or to look anything up in."""

    def __init__(self, message: str = NO_DATA) -> None:
        super().__init__(message)


class ParseError(ClausewiseError):
    """SQL text that is not one statement of the dialect.

    `start` and `end` are character offsets into the text, with `start <= end`.
    """

    def __init__(self, message: str, start: int = 0, end: int = 0) -> None:
        self.message = message
        self.start = start
        self.end = end
        super().__init__(message)

    def __reduce__(self) -> tuple[object, ...]:
        """Keep the position when the error crosses a process border."""
        return (ParseError, (self.message, self.start, self.end))


class NotComparable(ClausewiseError):
    """Queries whose equivalence cannot be examined; the message says why."""


class RegistryError(ClausewiseError):
    """An unknown name (the message suggests the nearest), or a name registered twice."""


class LLMError(ClausewiseError):
    """A language model gave no answer that can be used; the message never holds the key."""


class LLMUnavailable(LLMError):
    """No connection, no answer in time, overload or a fault of the server, after all attempts."""


class LLMRefused(LLMError):
    """The endpoint refuses the request and no retry helps: key, model, length of the prompt."""


class LLMReplyError(LLMError):
    """The reply is empty, a refusal, too long, or still malformed after one re-ask."""


class LLMBudgetExceeded(LLMError):
    """The request would go over the budget, so it was not sent."""


class LLMOffline(LLMError):
    """The answer is not in the cache, and nothing may be sent."""


class WorkerError(ClausewiseError):
    """The processes in which cases are checked cannot be started."""


class NotApplicable(ClausewiseError):
    """Raised by a signal when a case is not its kind of input; the message is the reason."""


class NotInDialect(NotApplicable):
    """Raised by a signal whose idea does not hold in the database's SQL dialect; says why."""


class NotAllChecked(ClausewiseError):
    """Raised by a signal after its findings where parts of the query are left; says how many."""


class NotFittedError(ClausewiseError):
    """A model or detector is used before `fit`."""
