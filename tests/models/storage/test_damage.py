"""A detector is saved whole or not at all, and one that is damaged is named and never used."""

import hashlib
import json
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from clausewise.errors import DetectorError
from clausewise.models import Detector
from clausewise.models.registries import PACKAGED
from clausewise.models.storage.folder import check_target

BEGIN = """
import os, resource, signal, sys
from pathlib import Path
from clausewise.errors import DetectorError
from clausewise.models import Detector
from clausewise.models.classifiers.additive import AdditiveClassifier
folder = Path(sys.argv[1])
detector = Detector.load(folder)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(PACKAGED, tmp_path / "detector"))


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def in_a_process(code: str, folder: Path) -> subprocess.CompletedProcess:
    command = [sys.executable, "-c", BEGIN + code, str(folder)]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_killed_save_leaves_the_earlier_detector_and_the_next_one_tidies_up(folder) -> None:
    before = contents(folder)
    killed = in_a_process(
        """
def save(self, folder):
    (folder / "half").write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
AdditiveClassifier.save = save
detector.save(folder)
""",
        folder,
    )
    assert killed.returncode == -signal.SIGKILL
    assert contents(folder) == before
    assert names(folder.parent) == [".detector.lock", ".detector.partial", "detector"]
    Detector.load(folder).save(folder)
    assert names(folder.parent) == ["detector"]


def test_a_detector_that_a_killed_save_put_aside_comes_back(folder) -> None:
    detector, aside = Detector.load(folder), folder.with_name(".detector.earlier")
    folder.rename(aside)
    with pytest.raises(DetectorError, match=r"put it aside as .*\.detector\.earlier"):
        Detector.load(folder)
    failing = Detector.load(aside)
    failing.learned_.classifier.save = None  # type: ignore[assignment, method-assign]
    with pytest.raises(TypeError):
        failing.save(folder)
    assert names(folder.parent) == ["detector"]
    assert Detector.load(folder).threshold_ == detector.threshold_


def test_a_full_disk_leaves_the_earlier_detector(folder) -> None:
    before = contents(folder)
    done = in_a_process(
        """
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
try:
    detector.save(folder)
except DetectorError as error:
    print(error)
""",
        folder,
    )
    assert f"{folder}: the detector cannot be written: " in done.stdout
    assert "File too large" in done.stdout
    assert done.stderr == ""
    assert contents(folder) == before
    assert names(folder.parent) == ["detector"]


def test_saves_to_one_folder_wait_for_each_other(folder) -> None:
    threads = [
        threading.Thread(
            target=in_a_process, args=("for _ in range(5): detector.save(folder)", folder)
        )
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert names(folder.parent) == ["detector"]
    assert contents(folder).keys() == {str(folder / name) for name in relative(PACKAGED)}
    Detector.load(folder)


def relative(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_a_link_to_a_folder_is_followed(folder, tmp_path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "far", target_is_directory=True)
    for _ in range(2):
        Detector.load(folder).save(tmp_path / "link")
        assert (tmp_path / "link").is_symlink()
        assert relative(tmp_path / "far") == relative(folder)
    assert names(tmp_path) == ["detector", "far", "link"]


def test_only_a_detector_is_replaced(folder, tmp_path) -> None:
    other, device = tmp_path / "app", tmp_path / "device"
    other.mkdir()
    (other / "manifest.json").write_text('{"name": "a web application"}')
    device.symlink_to("/dev/null")
    for target in (other, other / "manifest.json", other / "manifest.json" / "deeper", device):
        with pytest.raises(DetectorError) as caught:
            check_target(target)
        assert caught.value.path == str(target)
        with pytest.raises(DetectorError):
            Detector.load(folder).save(target)
    assert names(other) == ["manifest.json"]
    check_target(tmp_path / "new" / "deeper")


def sealed(folder: Path, name: str, content: str) -> None:
    """Replace a file, and say in the manifest that it is as it should be."""
    (folder / name).write_text(content, encoding="utf-8")
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    del manifest["checksum"]
    if name != "manifest.json":
        manifest["checksums"][name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    plain = json.dumps(manifest, sort_keys=True, separators=(",", ":")).encode()
    manifest["checksum"] = hashlib.sha256(plain).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


DEEP = "[" * 200_000 + "]" * 200_000
JSON_FILES = sorted(name for name in relative(PACKAGED) if name.endswith(".json"))


@pytest.mark.parametrize("name", JSON_FILES)
@pytest.mark.parametrize("content", [DEEP, f'{{"a": {DEEP}}}', "[]", "\x00", '{"a": NaN}', "{"])
def test_a_damaged_file_is_named(folder: Path, name: str, content: str) -> None:
    if name == "manifest.json":
        (folder / name).write_text(content, encoding="utf-8")
    else:
        sealed(folder, name, content)
    with pytest.raises(DetectorError) as caught:
        Detector.load(folder)
    assert caught.value.path == str(folder / name)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("depth", range(50, 1000, 50))
def test_a_deep_manifest_is_refused_at_any_depth(folder: Path, depth: int) -> None:
    text = (folder / "manifest.json").read_text(encoding="utf-8")
    deep = "[" * depth + "]" * depth
    (folder / "manifest.json").write_text(f'{{"more": {deep}, {text.lstrip()[1:]}')
    with pytest.raises(DetectorError):
        Detector.load(folder)


def _changed(value, path: tuple, to: object):
    at = value
    for part in path[:-1]:
        at = at[part]
    at[path[-1]] = to
    return value


@pytest.mark.parametrize(
    "to", [None, "NaN", "x", [], {}, -1e308, pytest.param(10**400, id="1e400")]
)
@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("calibration.json", ("slope",)),
        ("calibration.json", ("kind",)),
        ("label_model.json", ("log_likelihood", 0)),
        ("label_model.json", ("log_likelihood", 0, 0, 0)),
        ("label_model.json", ("class_balance",)),
        ("classifier/additive.json", ("intercept",)),
        ("classifier/additive.json", ("weights",)),
        ("manifest.json", ("threshold",)),
        ("manifest.json", ("class_balance",)),
        ("manifest.json", ("features", "signals")),
        ("manifest.json", ("settings",)),
        ("manifest.json", ("columns",)),
    ],
)
def test_numbers_that_give_no_probability_are_refused(folder, name, path, to) -> None:
    content = json.loads((folder / name).read_text(encoding="utf-8"))
    sealed(folder, name, json.dumps(_changed(content, path, to)))
    extreme = path in {("intercept",), ("log_likelihood", 0, 0, 0)} and to == -1e308
    if extreme or (path == ("weights",) and to == {}):  # odd, and yet a probability
        Detector.load(folder)
        return
    with pytest.raises(DetectorError):
        Detector.load(folder)


@pytest.mark.parametrize(
    "knots",
    [
        {"log_odds": [0.0], "probability": [0.1, 0.2]},
        {"log_odds": [], "probability": []},
        {"log_odds": [1.0, 0.0], "probability": [0.1, 0.2]},
        {"log_odds": [0.0, 1.0], "probability": [0.2, 0.1]},
        {"log_odds": [0.0, 1.0], "probability": [0.1, 1.2]},
        {"log_odds": ["NaN", 1.0], "probability": [0.1, 0.2]},
        {"log_odds": [[0.0], [1.0]], "probability": [[0.1], [0.2]]},
    ],
)
def test_knots_that_make_no_monotone_map_are_refused(folder: Path, knots: dict) -> None:
    sealed(folder, "calibration.json", json.dumps({"kind": "isotonic", **knots}))
    with pytest.raises(DetectorError):
        Detector.load(folder)
