"""What the service does, whatever protocol asks: check a case, score many, report."""

from __future__ import annotations

import asyncio
import difflib
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from http import HTTPStatus
from time import monotonic
from typing import TYPE_CHECKING, Any

from clausewise.datasets import as_case, as_cases
from clausewise.errors import CaseError, InputError
from clausewise.service.configuration import ServiceConfig
from clausewise.service.dispatcher import Dispatcher, QueueTimeout
from clausewise.service.feedback import FeedbackFile
from clausewise.service.job import CheckedCase, CheckingJob
from clausewise.service.problems import ProblemError, overloaded, wrong_input
from clausewise.types import Case, UncheckedCase
from clausewise.workers import Isolation

if TYPE_CHECKING:
    from clausewise.service.metrics import ServiceMetrics

REPORT_FORMATS: Mapping[str, str] = {
    "html": "text/html; charset=utf-8",
    "markdown": "text/markdown; charset=utf-8",
    "sarif": "application/sarif+json",
    "json": "application/json",
}
"""Format of a report to its media type."""

_MOST_NAMES = 10
_OUT_OF_TIME = "the time of the request was over before the case was checked"


class CheckingService:
    """Databases, detector and worker processes, ready to be asked.

    Parameters
    ----------
    config
        What to serve.
    metrics
        What counts.

    Raises
    ------
    InputError
        Where the environment lacks what the configuration names, the detector was fitted for
        other conventions or does not know the share of false alarms, or feedback cannot be kept.
    DetectorError
        Where the detector cannot be loaded.
    """

    def __init__(self, config: ServiceConfig, metrics: ServiceMetrics) -> None:
        self.config = config
        self.metrics = metrics
        self.names = tuple(sorted(config.databases))
        limits = config.limits
        job = CheckingJob(
            config.targets(),
            config.descriptions(),
            config.detector_folder(),
            config.trust_detector,
            config.secrets(),
            conventions=config.conventions,
            alarms=config.alarms,
        )
        job.load()  # copies of this process share what is loaded before they are made
        self._feedback: FeedbackFile | None = None
        if (place := config.feedback_file()) is not None:
            reasons = job.detector.reason_weights_
            self._feedback = FeedbackFile(place, limits.feedback_bytes, reasons)
        isolation = Isolation(case_seconds=limits.case_seconds, memory_bytes=limits.memory_bytes)
        self.dispatcher = Dispatcher(
            job, isolation, self.names, config.jobs, limits.queue_seconds, metrics
        )

    async def check(self, fields: Mapping[str, Any]) -> CheckedCase:
        """Check one case.

        Raises ProblemError where the fields are no case, its database is unknown, no worker is
        free in time, or the case takes too long.
        """
        case = self._case(fields)
        try:
            checked = await self.dispatcher.submit(case)
        except QueueTimeout:
            raise overloaded("no process was free in time; try again later") from None
        self.metrics.checked(checked)
        if checked.timed_out:
            seconds = self.config.limits.case_seconds
            detail = f"the case was not done after {seconds:g} seconds and was ended"
            raise ProblemError(HTTPStatus.GATEWAY_TIMEOUT, detail)
        return checked

    async def score(self, rows: Sequence[Any]) -> AsyncIterator[CheckedCase]:
        """Yield what is answered for each row, in their order; nothing in a row raises."""
        cases = await asyncio.to_thread(as_cases, [self._with_database(row) for row in rows])
        ends = monotonic() + self.config.limits.request_seconds
        waiting: deque[UncheckedCase | asyncio.Future[CheckedCase]] = deque()
        given: deque[Case] = deque()
        try:
            for case in cases:
                waiting.append(self._begun(case, given))
                while len(waiting) >= 2 * self.dispatcher.width or _is_done(waiting):
                    yield await self._next(waiting, given, ends)
            while waiting:
                yield await self._next(waiting, given, ends)
        finally:
            for item in waiting:
                if isinstance(item, asyncio.Future):
                    item.cancel()

    def report(self, rows: Sequence[Any], file_format: str, *, details: bool = False) -> str:
        """Return a report of scored cases, as `clausewise report`.

        Raises ProblemError where the format is unknown, or a row is no line of a scores file.
        """
        from clausewise.reporting import render

        if file_format not in REPORT_FORMATS:
            known = ", ".join(REPORT_FORMATS)
            error = InputError(f"is one of {known}, not '{file_format}'", field="format")
            raise wrong_input(error)
        for number, row in enumerate(rows, start=1):
            if not isinstance(row, Mapping):
                message = row.reason if isinstance(row, UncheckedCase) else "must be an object"
                raise wrong_input(InputError(message), number)
        try:
            return render(rows, file_format, details=details)
        except CaseError as error:
            raise wrong_input(error, error.line) from None

    def add_feedback(self, rows: Sequence[Any]) -> int:
        """Keep what a client says of findings and queries; return how many judgments.

        Raises ProblemError where no feedback is collected, or a row is no judgment.
        """
        if self._feedback is None:
            detail = "this service collects no feedback; it is started with --feedback FILE"
            raise ProblemError(HTTPStatus.NOT_FOUND, detail)
        return self._feedback.add(rows)

    def _case(self, fields: Mapping[str, Any]) -> Case:
        try:
            case = as_case({"question_id": "check", **self._with_database(fields)})
        except CaseError as error:
            raise wrong_input(error) from None
        if case.db_id not in self.config.databases:
            raise ProblemError(HTTPStatus.NOT_FOUND, self._unknown(case.db_id))
        return case

    def _with_database(self, row: Any) -> Any:
        """Return a row with the name of the only database where it names none."""
        if len(self.names) == 1 and isinstance(row, Mapping) and row.get("db_id") is None:
            return {**row, "db_id": self.names[0]}
        return row

    def _unknown(self, name: str) -> str:
        near = difflib.get_close_matches(name, self.names, n=3, cutoff=0.6)
        hint = "did you mean " + " or ".join(f"'{each}'" for each in near) + "?"
        if not near:
            more = len(self.names) - _MOST_NAMES
            hint = "there are " + ", ".join(self.names[:_MOST_NAMES])
            hint += f" and {more} more" if more > 0 else ""
        return f"there is no database '{name}'; {hint}"

    def _begun(
        self, case: Case | UncheckedCase, given: deque[Case]
    ) -> UncheckedCase | asyncio.Future[CheckedCase]:
        if isinstance(case, UncheckedCase):
            return case
        if case.db_id not in self.config.databases:
            return UncheckedCase.of(case, self._unknown(case.db_id))
        given.append(case)
        return self.dispatcher.submit(case, patient=True)

    async def _next(
        self,
        waiting: deque[UncheckedCase | asyncio.Future[CheckedCase]],
        given: deque[Case],
        ends: float,
    ) -> CheckedCase:
        """Return the answer for the first one that waits."""
        item = waiting.popleft()
        if isinstance(item, asyncio.Future):
            case = given.popleft()
            try:
                async with asyncio.timeout(max(0.0, ends - monotonic())):
                    checked = await item
            except TimeoutError:
                (checked,) = self.dispatcher.job.checked([UncheckedCase.of(case, _OUT_OF_TIME)])
        else:
            (checked,) = self.dispatcher.job.checked([item])
        self.metrics.checked(checked)
        return checked


def _is_done(waiting: deque[Any]) -> bool:
    """Whether the first one need not be waited for."""
    return bool(waiting) and not (isinstance(waiting[0], asyncio.Future) and not waiting[0].done())
