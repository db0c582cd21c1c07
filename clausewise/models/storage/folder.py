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
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path, PurePosixPath
from typing import Any

from clausewise._version import __version__
from clausewise.errors import DetectorError, UntrustedDetectorError
from clausewise.models.storage.signature import is_signed, sign

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


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a JSON object, one key a line, in its own order."""
    path.write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object.

    Raises DetectorError where the file is missing or holds something else.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DetectorError(f"the detector lacks this file; {_AGAIN}", path=path) from None
    except (OSError, ValueError) as error:
        raise DetectorError(f"this file is damaged ({error}); {_AGAIN}", path=path) from error
    if not isinstance(content, dict):
        raise DetectorError(f"this file is damaged (no JSON object); {_AGAIN}", path=path)
    return content


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
    folder = folder.absolute()
    if folder.exists() and not _is_replaceable(folder):
        raise DetectorError("this exists and is no detector; choose another folder", path=folder)
    partial = folder.with_name(f".{folder.name}.{os.getpid()}.partial")
    try:
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        fill(partial)
        _write_manifest(partial, manifest, pickles=pickles)
        _replace(folder, partial)
    except OSError as error:
        raise DetectorError(f"the detector cannot be written: {error}", path=folder) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _is_replaceable(folder: Path) -> bool:
    return folder.is_dir() and ((folder / MANIFEST).is_file() or not any(folder.iterdir()))


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


def _replace(folder: Path, partial: Path) -> None:
    earlier = folder.with_name(f".{folder.name}.{os.getpid()}.earlier")
    if folder.exists():
        folder.rename(earlier)
    try:
        partial.rename(folder)
    except OSError:
        if earlier.exists():
            earlier.rename(folder)
        raise
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
        raise DetectorError("there is no detector here: no such folder", path=folder)
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
