"""Knowing one's own detectors: a signature with a key that never leaves the user's folder.

Pickled models can run any code when they are loaded. A detector that holds some is therefore
loaded without a word only where this user made it on this machine, which the signature shows.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from contextlib import suppress
from pathlib import Path

from clausewise.errors import DetectorError

_KEY_BYTES = 32


def key_path() -> Path:
    """Return where this user's signing key is, or would be."""
    from platformdirs import user_data_dir

    return Path(user_data_dir("clausewise")) / "signing.key"


def sign(content: bytes) -> str:
    """Return the signature of `content`, in hexadecimal; the key is made where there is none.

    Raises DetectorError where the key cannot be written or is damaged.
    """
    return hmac.new(_key_to_sign(), content, hashlib.sha256).hexdigest()


def is_signed(content: bytes, signature: object) -> bool:
    """Whether `signature` was made for `content` with this user's key."""
    key = _read_key()
    if key is None or not isinstance(signature, str):
        return False
    expected = hmac.new(key, content, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode())


def _key_to_sign() -> bytes:
    key = _read_key()
    if key is None:
        _create_key()
        key = _read_key()
    if key is None:
        raise DetectorError(
            "this is no signing key of clausewise; remove the file and save again", path=key_path()
        )
    return key


def _read_key() -> bytes | None:
    """Return the key, None where there is none or the file is not one."""
    try:
        key = key_path().read_bytes()
    except OSError:
        return None
    return key if len(key) == _KEY_BYTES else None


def _create_key() -> None:
    """Write a new key for this user's eyes only; another process may have been faster."""
    path = key_path()
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(secrets.token_bytes(_KEY_BYTES))
            with suppress(FileExistsError):
                os.link(temporary, path)
        finally:
            temporary.unlink()
    except OSError as error:
        raise DetectorError(f"the signing key cannot be written: {error}", path=path) from error
