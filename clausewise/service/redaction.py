"""Hiding where databases are: no answer names a path, an address or a password."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from clausewise.datasets import dump_line
from clausewise.types import Json, RawJson

HIDDEN = "***"


def redacted(
    record: Mapping[str, Json], given: Mapping[str, Json], secrets: Sequence[str]
) -> dict[str, Json]:
    """Return a record of the output without the secrets that the client did not send.

    Parameters
    ----------
    record
        A scored case as it is written.
    given
        The fields of the case as they came.
    secrets
        Texts to hide, the longest first.
    """
    sent = dump_line(given)
    unknown = [secret for secret in secrets if secret not in sent]
    return {
        name: value if name in given else without_secrets(value, unknown)
        for name, value in record.items()
    }


def without_secrets(value: Any, secrets: Sequence[str]) -> Any:
    """Return JSON with the secrets in all of its texts replaced."""
    if isinstance(value, str) and not isinstance(value, RawJson):
        for secret in secrets:
            value = value.replace(secret, HIDDEN)
        return value
    if isinstance(value, Mapping):
        return {key: without_secrets(item, secrets) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_secrets(item, secrets) for item in value]
    return value
