"""What clients say of findings, collected in a file for `clausewise feedback`."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from http import HTTPStatus
from pathlib import Path
from typing import Any

from clausewise.datasets import as_judgment, dump_line
from clausewise.errors import CaseError, InputError
from clausewise.service.problems import ProblemError, ProblemPart
from clausewise.types import CaseJudgment, FindingJudgment, UncheckedCase

_MOST_NAMED = 20
"""Wrong lines that one answer names."""


class FeedbackFile:
    """A file to which judgments are added, all of a request or none.

    The service learns nothing from it by itself, so its answers stay the same while it runs.

    Parameters
    ----------
    path
        Lines are added at its end; it is made where it is missing, for its owner alone.
    most_bytes
        What it may grow to.
    reasons
        What the detector weighs, as `signal.reason`.

    Raises
    ------
    InputError
        Where nothing can be written there, or the detector weighs no single reasons.
    """

    def __init__(self, path: Path, most_bytes: int, reasons: Collection[str]) -> None:
        self._path = path
        self._most_bytes = most_bytes
        self._reasons = frozenset(reasons)
        if not self._reasons:
            message = "the detector has no weights of single reasons to learn from feedback"
            raise InputError(message, field="feedback")
        try:
            os.close(self._opened())
        except OSError as error:
            message = f"cannot be written: {error.strerror}"
            raise InputError(message, path=path, field="feedback") from None

    def add(self, rows: Sequence[Any]) -> int:
        """Add the judgments of rows; return how many.

        Raises ProblemError, and adds nothing, where a row is no judgment, the detector does not
        weigh what it judges, or the file is full.
        """
        judged, problems = [], []
        for line, row in enumerate(rows, start=1):
            try:
                judged.append(self._judgment(row))
            except CaseError as error:
                problems.append(ProblemPart(message=error.message, field=error.field, line=line))
        if problems:
            first = problems[0]
            field = f"field '{first.field}': " if first.field else ""
            detail = f"line {first.line}: {field}{first.message}; nothing was added"
            raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, detail, problems[:_MOST_NAMED])
        self._append("".join(dump_line(asdict(one)) + "\n" for one in judged).encode())
        return len(judged)

    def _judgment(self, row: Any) -> FindingJudgment | CaseJudgment:
        if isinstance(row, UncheckedCase):
            raise CaseError(row.reason.partition(": ")[2])
        if not isinstance(row, Mapping):
            raise CaseError("must be an object")
        judgment = as_judgment(row)
        if isinstance(judgment, FindingJudgment):
            name = f"{judgment.signal}.{judgment.reason}"
            if name not in self._reasons:
                message = f"the detector weighs no reason {name[:100]!r}"
                raise CaseError(message, field="reason")
        return judgment

    def _append(self, added: bytes) -> None:
        file = self._opened()
        try:
            if os.fstat(file).st_size + len(added) > self._most_bytes:
                detail = f"the file of feedback would grow beyond {self._most_bytes:,} bytes"
                raise ProblemError(HTTPStatus.INSUFFICIENT_STORAGE, detail)
            os.write(file, added)  # one call, so that lines of other processes stay whole
        finally:
            os.close(file)

    def _opened(self) -> int:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
        return os.open(self._path, flags, 0o600)
