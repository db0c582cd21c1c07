"""A detector's folder: written whole or not at all, and checked before anything in it is used.

::

    manifest.json       format, versions, settings, columns, thresholds, checksums, signature
    label_model.json    what the label model learned
    calibration.json    the map from the classifier's probability to the calibrated one
    classifier/         the classifier's own files
    card.md             on what it was trained, for people

Text for people (`.md` and `.txt` beside the manifest) is never loaded and has no checksum: notes
may be added to it.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path, PurePosixPath
from typing import Any

from clausewise._version import __version__
from clausewise.errors import DetectorError, UntrustedDetectorError
from clausewise.models.storage.signature import is_signed, sign
from clausewise.writing import Lock, sync_folder

FORMAT = "clausewise-detector"
FORMAT_VERSION = 1
"""Raised when a reader of the old format would misread the new one."""

MANIFEST = "manifest.json"
LABEL_MODEL = "label_model.json"
CALIBRATION = "calibration.json"
CLASSIFIER = "classifier"
CARD = "card.md"

_RECORDED = ("numpy", "scikit-learn", "snorkel", "torch", "autogluon.tabular", "lightgbm")
_AGAIN = "fit it again, or take an undamaged copy"
_WAIT_SECONDS = 60.0
"""How long a save waits for another one to the same folder."""


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a JSON object, one key a line, in its own order."""
    path.write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object.

    Raises DetectorError where the file is missing or holds something else.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"), parse_constant=_no_constant)
    except FileNotFoundError:
        raise DetectorError(f"the detector lacks this file; {_AGAIN}", path=path) from None
    except (OSError, ValueError, RecursionError) as error:
        raise DetectorError(f"this file is damaged ({error}); {_AGAIN}", path=path) from error
    if not isinstance(content, dict):
        raise DetectorError(f"this file is damaged (no JSON object); {_AGAIN}", path=path)
    return content


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")


def write_folder(
    folder: Path, manifest: Mapping[str, Any], fill: Callable[[Path], None], *, pickles: bool
) -> None:
    """Write a detector's folder; an earlier detector there is replaced only when all is written.

    Parameters
    ----------
    folder
        Where to; missing, empty, or a detector's folder.
    manifest
        What the manifest says besides format, versions and checksums.
    fill
        Writes every other file into the folder that it is given.
    pickles
        Whether the files can run code when loaded: the manifest is signed then.

    Raises
    ------
    DetectorError
        Where the folder holds something else, or cannot be written.
    """
    check_target(folder)
    folder = Path(os.path.realpath(folder))
    partial, earlier, lock = _beside(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _locked(lock, folder):
            _remove_remains(folder, partial, earlier)
            try:
                partial.mkdir()
                fill(partial)
                _write_manifest(partial, manifest, pickles=pickles)
                _synchronize(partial)
                _replace(folder, partial, earlier)
            finally:
                shutil.rmtree(partial, ignore_errors=True)
    except OSError as error:
        raise DetectorError(f"the detector cannot be written: {error}", path=folder) from error


def check_target(folder: Path) -> None:
    """Raise DetectorError where no detector can be written at `folder`.

    That is where it holds something else, or the folder around it cannot be written to. What a
    symbolic link leads to counts.
    """
    target = Path(os.path.realpath(folder))
    if os.path.lexists(target) and not _is_replaceable(target):
        raise DetectorError("this exists and is no detector; choose another folder", path=folder)
    around = next(parent for parent in target.parents if os.path.lexists(parent))
    if not around.is_dir() or not os.access(around, os.W_OK | os.X_OK):
        message = f"the detector cannot be written: no folder can be made in {around}"
        raise DetectorError(message, path=folder)


def _is_replaceable(folder: Path) -> bool:
    if not folder.is_dir():
        return False
    if not any(folder.iterdir()):
        return True
    try:
        return read_json(folder / MANIFEST).get("format") == FORMAT
    except DetectorError:
        return False


def _beside(folder: Path) -> tuple[Path, Path, Path]:
    """Return where a detector is written, where the earlier one waits meanwhile, and the lock."""
    partial, earlier, lock = (
        folder.with_name(f".{folder.name}.{kind}") for kind in ("partial", "earlier", "lock")
    )
    return partial, earlier, lock


@contextmanager
def _locked(path: Path, folder: Path) -> Iterator[None]:
    lock = Lock(path)
    if not lock.acquire(_WAIT_SECONDS):
        message = "another process is writing this detector; wait for its end"
        raise DetectorError(message, path=folder)
    try:
        yield
    finally:
        lock.release()


def _remove_remains(folder: Path, partial: Path, earlier: Path) -> None:
    """Take away what a killed process left, and put the detector back that it had put aside."""
    if earlier.is_dir() and not folder.exists():
        earlier.rename(folder)
    for remains in (partial, earlier):
        shutil.rmtree(remains, ignore_errors=True)


def _synchronize(folder: Path) -> None:
    """Bring all files to the disk, so that the rename never comes before what is in them."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
        else:
            sync_folder(path)
    sync_folder(folder)


def _write_manifest(folder: Path, manifest: Mapping[str, Any], *, pickles: bool) -> None:
    complete = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "clausewise_version": __version__,
        "python_version": platform.python_version(),
        "libraries": _library_versions(),
        "holds_pickles": pickles,
        **manifest,
        "checksums": {name: _sha256(folder / name) for name in _files(folder)},
    }
    content = _canonical(complete)
    complete["checksum"] = hashlib.sha256(content).hexdigest()
    if pickles:
        complete["signature"] = sign(content)
    write_json(folder / MANIFEST, complete)


def _replace(folder: Path, partial: Path, earlier: Path) -> None:
    if folder.exists():
        folder.rename(earlier)
    try:
        partial.rename(folder)
    except BaseException:
        if earlier.exists():
            earlier.rename(folder)
        raise
    sync_folder(folder.parent)
    shutil.rmtree(earlier, ignore_errors=True)


def read_manifest(folder: Path, *, trust: bool) -> dict[str, Any]:
    """Return the manifest of a detector whose every file is what it says.

    Raises
    ------
    DetectorError
        Where the folder, a file or the manifest is missing or damaged, or a file is there that
        does not belong, or the format is another one.
    UntrustedDetectorError
        Where it holds pickles, this user did not make it, and `trust` is false.
    """
    if not folder.is_dir():
        earlier = _beside(folder)[1]
        hint = f"; an interrupted save put it aside as {earlier}" if earlier.is_dir() else ""
        raise DetectorError(f"there is no detector here: no such folder{hint}", path=folder)
    path = folder / MANIFEST
    if not path.is_file():
        raise DetectorError("there is no detector here: it has no manifest.json", path=folder)
    manifest = read_json(path)
    if manifest.get("format") != FORMAT:
        raise DetectorError("this is not the manifest of a detector", path=path, field="format")
    found = manifest.get("format_version")
    if found != FORMAT_VERSION:
        raise DetectorError(
            f"the detector has format {found} and was written by clausewise "
            f"{manifest.get('clausewise_version')}; clausewise {__version__} reads format "
            f"{FORMAT_VERSION}: fit it again, or install that version",
            path=path,
            field="format_version",
        )
    checksum, signature = manifest.pop("checksum", None), manifest.pop("signature", None)
    content = _canonical(manifest)
    if checksum != hashlib.sha256(content).hexdigest():
        raise DetectorError(f"this file is damaged or was edited; {_AGAIN}", path=path)
    _verify_files(folder, manifest)
    if manifest.get("holds_pickles") and not trust and not is_signed(content, signature):
        raise UntrustedDetectorError(
            "the detector holds pickled models, which can run any code when loaded, and was not "
            "made by you on this machine. If you trust where it comes from, load it with "
            "trust=True (on the command line: --trust-detector)",
            path=folder,
        )
    return manifest


def _verify_files(folder: Path, manifest: Mapping[str, Any]) -> None:
    expected = manifest.get("checksums")
    if not isinstance(expected, dict):
        raise DetectorError(f"it lists no files; {_AGAIN}", path=folder / MANIFEST)
    present = _files(folder)
    for name in expected:
        if name not in present and not _is_documentation(name):
            raise DetectorError(f"the detector lacks this file; {_AGAIN}", path=folder / name)
    for name in present:
        if name not in expected:
            raise DetectorError(
                "this file does not belong to the detector; remove it", path=folder / name
            )
        if _sha256(folder / name) != expected[name]:
            raise DetectorError(f"this file is damaged or was edited; {_AGAIN}", path=folder / name)


def _files(folder: Path) -> list[str]:
    """Return every file but the manifest and the text for people, by its path, sorted.

    Raises DetectorError for a symbolic link, which would lead out of what is checked.
    """
    found = []
    for path in folder.rglob("*"):
        if path.is_symlink():
            raise DetectorError("a detector's folder holds no links; remove it", path=path)
        if path.is_file():
            found.append(path.relative_to(folder).as_posix())
    return sorted(name for name in found if name != MANIFEST and not _is_documentation(name))


def _is_documentation(name: str) -> bool:
    path = PurePosixPath(name)
    return len(path.parts) == 1 and path.suffix in (".md", ".txt")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _canonical(manifest: Mapping[str, Any]) -> bytes:
    return json.dumps(manifest, sort_keys=True, separators=(",", ":")).encode()


def _library_versions() -> dict[str, str]:
    versions = {}
    for name in _RECORDED:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions
