"""What comes in: a case, or a line that is none, and the JSON that is carried with either."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict, ValidationInfo, field_validator, model_validator

Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None


class RawJson(str):
    """The JSON text of a field that is carried as it was written, such as one nested too deeply.

    It is text wherever a value of it is asked for, and JSON again in the output.
    """

    __slots__ = ()


_LARGEST_ID = 10**300


class Case(BaseModel):
    """One question with the SQL that a system predicted for it.

    Fields that are not named here are kept and carried through to the output.
    """

    model_config = ConfigDict(frozen=True, extra="allow", coerce_numbers_to_str=False)

    question_id: str | int
    db_id: str
    question: str
    predicted_sql: str
    evidence: str | None = None
    candidates: tuple[str, ...] = ()
    """Other queries for the question; may be given as `{"sql": ..., "system": ...}`, too."""
    candidate_systems: tuple[str | None, ...] = ()
    """The system that each candidate comes from, None where unknown; empty where none is known."""
    correct: bool | None = None
    """The true label where it is known; read only by evaluation and by supervised fitting."""

    @model_validator(mode="before")
    @classmethod
    def _candidates_may_be_objects(cls, fields: Any) -> Any:
        given = fields.get("candidates") if isinstance(fields, Mapping) else None
        if not isinstance(given, list | tuple):
            return fields
        if not any(isinstance(item, Mapping) for item in given):
            return fields
        sql = [item.get("sql") if isinstance(item, Mapping) else item for item in given]
        systems = [item.get("system") if isinstance(item, Mapping) else None for item in given]
        known = {"candidate_systems": systems} if any(systems) else {}
        return {**fields, "candidates": sql, **known}

    @field_validator("candidates", "candidate_systems", mode="before")
    @classmethod
    def _candidates_may_be_absent(cls, value: Any) -> Any:
        return () if value is None else value

    @field_validator("candidate_systems")
    @classmethod
    def _one_system_a_candidate(
        cls, systems: tuple[str | None, ...], info: ValidationInfo
    ) -> tuple[str | None, ...]:
        if systems and len(systems) != len(info.data.get("candidates", systems)):
            raise ValueError("needs one system, or null, for each candidate")
        return systems

    @field_validator("question_id", mode="before")
    @classmethod
    def _true_is_no_number(cls, value: Any) -> Any:
        if isinstance(value, bool):
            raise ValueError("true and false are no ids")
        if isinstance(value, int) and not -_LARGEST_ID < value < _LARGEST_ID:
            raise ValueError("a number of more than 300 digits is no id")
        return value

    def bare(self) -> Case:
        """Return the case without the fields that are carried through: all that signals read."""
        if not self.__pydantic_extra__:
            return self
        copied = self.model_copy()
        (copied.__pydantic_extra__ or {}).clear()
        return copied

    def carried(self) -> dict[str, Any]:
        """Return every field that was given: those of a case first, then the others as they are.

        Nothing is copied or converted, so that nothing in a field can make it fail.
        """
        given = self.model_fields_set
        record = {name: value for name, value in self.__dict__.items() if name in given}
        for name in ("candidates", "candidate_systems"):
            if name in record:
                record[name] = list(record[name])
        return record | (self.__pydantic_extra__ or {})


@dataclass(frozen=True, slots=True)
class UncheckedCase:
    """An input case that could not be read or checked; it still appears in the output."""

    reason: str
    line: int | None = None
    raw: Mapping[str, Json] = field(default_factory=dict)
    """What could be read of the line; empty where it was no JSON object at all."""

    @classmethod
    def of(cls, case: Case, reason: str) -> UncheckedCase:
        """Return a case that was read and could not be checked."""
        return cls(reason=reason, raw=case.carried())

    @property
    def question_id(self) -> str | int | None:
        """The id where the line has one that can be used."""
        value = self.raw.get("question_id")
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        return self._text("question_id")

    @property
    def db_id(self) -> str | None:
        """The database's name where it is text."""
        return self._text("db_id")

    @property
    def predicted_sql(self) -> str | None:
        """The query where it is text."""
        return self._text("predicted_sql")

    def _text(self, name: str) -> str | None:
        value = self.raw.get(name)
        return value if isinstance(value, str) and not isinstance(value, RawJson) else None
