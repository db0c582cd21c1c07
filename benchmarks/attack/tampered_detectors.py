"""Ways to tamper with a detector's folder. Each gets a copy of one and spoils it."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Spoil = Callable[[Path], None]

MANIFEST = "manifest.json"
ADDITIVE = "classifier/additive.json"
DEEP = "[" * 200_000 + "]" * 200_000
DEEPLY_NAMED = '{"a":' * 100_000 + "1" + "}" * 100_000


class Touch:
    """An object whose pickle makes a file when it is loaded."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return (os.system, (f"touch '{self.path}'",))


@dataclass(frozen=True, slots=True)
class Tampering:
    """What is done to a detector's folder, and whether to one that holds pickles."""

    name: str
    spoil: Spoil
    pickled: bool = False


def canary(folder: Path) -> Path:
    """Return the file that code of a detector would make."""
    return folder.parent / "canary"


def replaced(name: str, content: bytes | str, again: bool = True) -> Spoil:
    """Return what writes a file; with `again`, its checksum is made anew as an attacker would."""

    def spoil(folder: Path) -> None:
        data = content.encode() if isinstance(content, str) else content
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
        if again:
            sign_again(folder)

    return spoil


def edited(change: Callable[[dict[str, Any]], object], again: bool = True) -> Spoil:
    """Return what changes the manifest, with or without a checksum made anew."""

    def spoil(folder: Path) -> None:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        change(manifest)
        (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
        if again:
            sign_again(folder, files=False)

    return spoil


def sign_again(folder: Path, files: bool = True) -> None:
    """Make the checksums anew, as anyone can; the signature, which needs a key, is not."""
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    signature = manifest.pop("signature", None)
    manifest.pop("checksum", None)
    if files:
        manifest["checksums"] = {
            path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.name not in (MANIFEST, "card.md")
        }
    content = json.dumps(manifest, sort_keys=True, separators=(",", ":")).encode()
    manifest["checksum"] = hashlib.sha256(content).hexdigest()
    if signature is not None:
        manifest["signature"] = signature
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")


def removed(name: str) -> Spoil:
    """Return what removes a file."""
    return lambda folder: (folder / name).unlink()


def flipped(name: str, seed: int) -> Spoil:
    """Return what flips one byte of a file."""

    def spoil(folder: Path) -> None:
        content = bytearray((folder / name).read_bytes())
        draw = random.Random(seed)
        content[draw.randrange(len(content))] ^= draw.randrange(1, 256)
        (folder / name).write_bytes(content)

    return spoil


def cut(name: str) -> Spoil:
    """Return what cuts a file in half."""

    def spoil(folder: Path) -> None:
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content[: len(content) // 2])

    return spoil


def linked(name: str, target: str, directory: bool = False) -> Spoil:
    """Return what puts a symbolic link in the place of a file or folder."""

    def spoil(folder: Path) -> None:
        path = folder / name
        if directory:
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        path.symlink_to(target, target_is_directory=directory)

    return spoil


def piped(name: str) -> Spoil:
    """Return what puts a named pipe in the place of a file."""

    def spoil(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        os.mkfifo(folder / name)

    return spoil


def listed_outside(name: str) -> Spoil:
    """Return what lists a file outside the folder among the detector's."""

    def spoil(folder: Path) -> None:
        (folder.parent / "outside.json").write_text("{}", encoding="utf-8")
        edited(lambda manifest: manifest["checksums"].update({name: "0" * 64}))(folder)

    return spoil


def pickle_in(name: str, again: bool = True) -> Spoil:
    """Return what writes a pickle that makes the canary."""
    return lambda folder: replaced(name, pickle.dumps(Touch(canary(folder))), again)(folder)


def pickles(folder: Path) -> None:
    """Replace every pickle of a detector by one that makes the canary, checksums made anew."""
    data = pickle.dumps(Touch(canary(folder)))
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix not in (".json", ".md", ".txt"):
            path.write_bytes(data)
    sign_again(folder)


def pickles_denied(folder: Path) -> None:
    """Replace the pickles and let the manifest say that there are none."""
    pickles(folder)
    edited(lambda manifest: manifest.update(holds_pickles=False))(folder)


def pickles_signed(folder: Path) -> None:
    """Replace the pickles and give the manifest a signature of its own making."""
    pickles(folder)
    edited(lambda manifest: manifest.update(signature="0" * 64))(folder)


def _pickled_setting(name: str) -> Spoil:
    """Return what says that a part is pickled, with a pickle in its place."""

    def spoil(folder: Path) -> None:
        data = pickle.dumps({name: Touch(canary(folder))})
        for file in ("settings.pickle", f"{name}.pickle", f"classifier/{name}.pickle"):
            (folder / file).write_bytes(data)
        edited(lambda manifest: manifest["settings"].update({name: {"pickled": "os.system"}}))(
            folder
        )
        sign_again(folder)

    return spoil


def of_spaces(folder: Path) -> None:
    """Write a manifest of 50 MB that holds nothing."""
    (folder / MANIFEST).write_bytes(b" " * 50_000_000)


def unchanged(_folder: Path) -> None:
    """Do nothing."""


_SETTINGS = "settings"
TAMPERINGS = (
    *(
        Tampering(f"one byte of {name} flipped, seed {seed}", flipped(name, seed))
        for name in (MANIFEST, "label_model.json", "calibration.json", ADDITIVE)
        for seed in (1, 2)
    ),
    *(
        Tampering(f"{name} missing", removed(name))
        for name in (MANIFEST, "label_model.json", "calibration.json", ADDITIVE)
    ),
    *(
        Tampering(f"{name} cut in half", cut(name))
        for name in (MANIFEST, "label_model.json", ADDITIVE)
    ),
    *(
        Tampering(f"{name} is {what}, checksums made anew", replaced(name, content))
        for name in ("label_model.json", "calibration.json", ADDITIVE)
        for what, content in (
            ("deep JSON", DEEP),
            ("deep JSON of objects", DEEPLY_NAMED),
            ("a list", "[1]"),
            ("no UTF-8", b"\xff\xfe{}"),
            ("full of wrong types", '{"kind": [], "weights": 7, "accuracies": "x", "slope": {}}'),
            ("a number of 5,000 digits", '{"slope": ' + "9" * 5_000 + "}"),
        )
    ),
    Tampering("the manifest is deep JSON", replaced(MANIFEST, DEEP, again=False)),
    Tampering(
        "the manifest is deep JSON of objects", replaced(MANIFEST, DEEPLY_NAMED, again=False)
    ),
    Tampering("the manifest is empty", replaced(MANIFEST, b"", again=False)),
    Tampering("the manifest is null", replaced(MANIFEST, b"null", again=False)),
    Tampering("the manifest is 50 MB of spaces", of_spaces),
    Tampering("the manifest edited", edited(lambda m: m.update(threshold=0.9), again=False)),
    Tampering("another format", edited(lambda m: m.update(format="other"))),
    Tampering("a later format", edited(lambda m: m.update(format_version=99))),
    Tampering("a format that is a list", edited(lambda m: m.update(format_version=[1]))),
    Tampering("columns of other signals", edited(lambda m: m.update(columns=["x"]))),
    Tampering("a threshold that is text", edited(lambda m: m.update(threshold="x"))),
    Tampering("a threshold that is not a number", edited(lambda m: m.update(threshold=[0.5]))),
    Tampering("no settings", edited(lambda m: m.pop(_SETTINGS))),
    Tampering("settings that are a list", edited(lambda m: m.update(settings=[1]))),
    Tampering(
        "a classifier that is a path",
        edited(lambda m: m[_SETTINGS].update(classifier="../../evil")),
    ),
    Tampering(
        "a classifier that is a module",
        edited(lambda m: m[_SETTINGS].update(classifier="os:system")),
    ),
    Tampering(
        "a label model that is no name", edited(lambda m: m[_SETTINGS].update(label_model=7))
    ),
    Tampering("no checksums", edited(lambda m: m.pop("checksums"))),
    Tampering("checksums that are a list", edited(lambda m: m.update(checksums=["x"]))),
    Tampering("a path out of the folder", listed_outside("../outside.json")),
    Tampering("an absolute path", listed_outside("/etc/hostname")),
    Tampering("a path with a null character", listed_outside("a\0b")),
    Tampering("a file that does not belong", replaced("more.bin", b"x", again=False)),
    Tampering("a pickle that does not belong", pickle_in("more.pickle", again=False)),
    Tampering("a pickle in place of the classifier", pickle_in(ADDITIVE)),
    Tampering("a link to a file", linked("label_model.json", "/etc/hostname")),
    Tampering("a link to itself", linked("label_model.json", "label_model.json")),
    Tampering("a link to /dev/zero", linked("calibration.json", "/dev/zero")),
    Tampering("the manifest is a link to /dev/zero", linked(MANIFEST, "/dev/zero")),
    Tampering("a folder that is a link", linked("classifier", "/tmp", directory=True)),
    Tampering("the manifest is a named pipe", piped(MANIFEST)),
    Tampering("a named pipe", piped("label_model.json")),
    Tampering("a label model said to be pickled", _pickled_setting("label_model")),
    Tampering("a classifier said to be pickled", _pickled_setting("classifier")),
    Tampering("a calibration said to be pickled", _pickled_setting("calibration")),
    Tampering("pickles replaced", pickles, pickled=True),
    Tampering("pickles replaced and denied", pickles_denied, pickled=True),
    Tampering("pickles replaced, a signature made up", pickles_signed, pickled=True),
    Tampering("a pickled detector of another user", unchanged, pickled=True),
)
