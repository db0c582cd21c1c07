"""What a service serves, and its limits: read from a TOML file, or made from options."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from clausewise.errors import InputError
from clausewise.types import Strictness

_CLOSED = ConfigDict(frozen=True, extra="forbid")
_SHORTEST_SECRET = 3
"""Characters from which on a part of an address is hidden in what is answered."""


class ServedDatabase(BaseModel):
    """One database by its place; a relative path is one beside the configuration file."""

    model_config = _CLOSED

    path: Path | None = None
    url: str | None = None
    url_env: str | None = None
    """Environment variable that holds the URL, for one with a password."""
    descriptions: Path | None = None
    """A folder of column descriptions as in BIRD, where it is not beside the file."""
    description: str = ""
    """What clients are shown beside the name."""

    @model_validator(mode="after")
    def _one_place(self) -> ServedDatabase:
        if sum(given is not None for given in (self.path, self.url, self.url_env)) != 1:
            raise ValueError("give one of path, url and url_env")
        return self

    def target(self, folder: Path) -> str:
        """Return the path or URL; InputError where the environment lacks it."""
        if self.path is not None:
            return str((folder / self.path.expanduser()).absolute())
        return self.url if self.url is not None else _variable(self.url_env or "", "url_env")


class ServiceLimits(BaseModel):
    """What a client may ask for; seconds are of wall time."""

    model_config = _CLOSED

    body_bytes: Annotated[int, Field(gt=0)] = 16_000_000
    """Bytes of one request's body."""
    cases: Annotated[int, Field(gt=0)] = 10_000
    """Cases in one request."""
    case_seconds: Annotated[float, Field(gt=0)] = 20.0
    """For one case at work; its process is ended then."""
    queue_seconds: Annotated[float, Field(gt=0)] = 10.0
    """A request to check one case may wait that long for a process."""
    request_seconds: Annotated[float, Field(gt=0)] = 600.0
    """For all cases of one request to score."""
    requests: Annotated[int, Field(gt=0)] = 256
    """Requests in flight."""
    memory_bytes: Annotated[int, Field(gt=0)] = 1_000_000_000
    """Memory that a process may take for cases."""
    feedback_bytes: Annotated[int, Field(gt=0)] = 100_000_000
    """What the file of feedback may grow to."""
    shutdown_seconds: Annotated[int, Field(gt=0)] = 60
    """For requests in flight once the service is asked to end."""


class ServiceConfig(BaseModel):
    """All that a service is told when it starts."""

    model_config = _CLOSED

    databases: Annotated[dict[str, ServedDatabase], Field(min_length=1)]
    detector: Path | None = None
    """A folder written by `fit`; None for the packaged detector."""
    trust_detector: bool = False
    conventions: Strictness | None = None
    """Whether what people let pass counts; None: as the detector was fitted, else relaxed."""
    alarms: Annotated[float, Field(gt=0, lt=1)] | None = None
    """Share of the right queries that may be called incorrect; None for the detector's."""
    feedback: Path | None = None
    """A file to which `POST /v1/feedback` adds what clients say of findings; None: not asked."""
    token_env: str | None = None
    """Environment variable that holds the bearer token; None where none is asked for."""
    jobs: Annotated[int, Field(ge=1)] = 2
    """Processes that check cases, for each server process; of two, one is free where a query
    takes long."""
    limits: ServiceLimits = ServiceLimits()
    hosts: tuple[str, ...] = ()
    """Names under which clients may reach the service; none given: every name, or, where it
    listens to the loopback only, the loopback's own, so that no web page can get at it."""
    folder: Path = Path()
    """What relative paths are relative to."""

    @model_validator(mode="after")
    def _names_can_be_written(self) -> ServiceConfig:
        for name in self.databases:
            if not name or not name.isprintable():
                raise ValueError(f"{name!r} is no name of a database")
        return self

    def targets(self) -> dict[str, str]:
        """Return the name of each database with its path or URL."""
        return {name: one.target(self.folder) for name, one in sorted(self.databases.items())}

    def descriptions(self) -> dict[str, Path]:
        """Return the folders of column descriptions by database, for those that name one."""
        named = {name: one.descriptions for name, one in self.databases.items()}
        return {name: self.folder / folder.expanduser() for name, folder in named.items() if folder}

    def detector_folder(self) -> Path | None:
        """Return where the detector lies, None for the packaged one."""
        return None if self.detector is None else self.folder / self.detector.expanduser()

    def feedback_file(self) -> Path | None:
        """Return the file of feedback, None where none is collected."""
        return None if self.feedback is None else self.folder / self.feedback.expanduser()

    def token(self) -> str | None:
        """Return the bearer token; InputError where its variable is empty or not set."""
        return None if self.token_env is None else _variable(self.token_env, "token_env")

    def secrets(self) -> tuple[str, ...]:
        """Return the texts that no answer may hold, the longest first."""
        found = {part for target in self.targets().values() for part in _parts(target)}
        return tuple(sorted(found, key=lambda part: (-len(part), part)))


def _variable(name: str, field: str) -> str:
    value = os.environ.get(name, "")
    if not value:
        raise InputError(f"the environment variable {name} is not set", field=field)
    return value


def _parts(target: str) -> list[str]:
    """Return the texts that say where a database is: the whole, its folder, password and host."""
    parts = [target]
    place: Path | None = None
    if "://" not in target:
        place = Path(target)
    else:
        split = urlsplit(target)
        login = split.netloc.rpartition("@")[0]
        named = (split.netloc, login, split.username, split.password, split.hostname)
        parts += [part for part in named if part]
        if split.scheme.partition("+")[0] in ("sqlite", "duckdb") and split.path:
            place = Path(split.path[1:])
    if place is not None:
        place = place.absolute()
        parts += [str(place), str(place.parent), place.name]
    return [part for part in parts if len(part) >= _SHORTEST_SECRET]


def read_config(path: Path) -> ServiceConfig:
    """Read a configuration file.

    Raises InputError where it is missing or no TOML, with the field where one is unknown or wrong.
    """
    try:
        read = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"is no TOML: {error}", path=path) from None
    if "folder" in read:
        raise InputError("unknown field", path=path, field="folder")
    return make_config({**read, "folder": path.absolute().parent}, path)


def make_config(fields: Mapping[str, Any], path: Path | None = None) -> ServiceConfig:
    """Return the configuration of these fields; InputError with the first field that is wrong."""
    try:
        return ServiceConfig.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or None
        raise InputError(_said(first), path=path, field=field) from None


def _said(problem: Mapping[str, Any]) -> str:
    if problem["type"] == "extra_forbidden":
        return "unknown field"
    message = str(problem["msg"]).removeprefix("Value error, ")
    return message[:1].lower() + message[1:]


def config_of(folder: Path | None, db: str | None) -> ServiceConfig:
    """Return the configuration of a folder of databases, or of one database.

    Raises DatabaseError where there is none, InputError where `folder` is no folder.
    """
    from clausewise.databases import Databases, open_database

    if db is not None:
        place = {"url": db} if "://" in db else {"path": Path(db).absolute()}
        return make_config({"databases": {open_database(db).name: place}})
    if folder is None or not folder.is_dir():
        raise InputError("no such folder", path=folder, field="--databases")
    targets = Databases(folder).targets()
    return make_config({"databases": {name: {"path": path} for name, path in targets.items()}})
