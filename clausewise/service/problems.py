"""Errors as clients see them: one shape for all, problem details of RFC 9457."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from clausewise.errors import InputError
from clausewise.types import Json

MEDIA_TYPE = "application/problem+json"


class ProblemPart(BaseModel):
    """What is wrong at one place of a request."""

    message: str
    field: Annotated[str | None, Field(description="the field's name; absent for a whole line")] = (
        None
    )
    line: Annotated[int | None, Field(description="line or element of the body, from 1")] = None


class ProblemDetails(BaseModel):
    """An error, as RFC 9457 describes it."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "type": "about:blank",
                "title": "Unprocessable Content",
                "status": 422,
                "detail": "field 'question': missing",
                "errors": [{"message": "missing", "field": "question"}],
            }
        }
    )

    type: Annotated[str, Field(description="always this: the status says the kind")] = "about:blank"
    title: str
    status: int
    detail: str
    errors: Annotated[list[ProblemPart], Field(description="each wrong field")] = []


class ProblemError(Exception):
    """What ends a request with an error status.

    Parameters
    ----------
    status
        The HTTP status.
    detail
        One sentence for the client's developer, without paths.
    errors
        The fields that are wrong.
    headers
        Headers of the answer, such as Retry-After.
    """

    def __init__(
        self,
        status: HTTPStatus,
        detail: str,
        errors: Sequence[ProblemPart] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.errors = tuple(errors)
        self.headers = dict(headers or {})

    def to_dict(self) -> dict[str, Json]:
        """Return the problem details as a JSON object."""
        found = ProblemDetails(
            title=self.status.phrase,
            status=self.status.value,
            detail=self.detail,
            errors=list(self.errors),
        )
        record: dict[str, Json] = found.model_dump(exclude_none=True)
        if not self.errors:
            record.pop("errors")
        return record


def wrong_input(error: InputError, line: int | None = None) -> ProblemError:
    """Return the problem of a request whose case or score cannot be used."""
    place = f"line {line}: " if line is not None else ""
    field = f"field '{error.field}': " if error.field else ""
    part = ProblemPart(message=error.message, field=error.field, line=line)
    return ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, f"{place}{field}{error.message}", [part])


def overloaded(detail: str, seconds: int = 1) -> ProblemError:
    """Return the problem of a request that may be tried again after some seconds."""
    headers = {"Retry-After": str(seconds)}
    return ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, detail, headers=headers)
