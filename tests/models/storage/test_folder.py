import json
import subprocess
import sys
from pathlib import Path

import pytest

from clausewise.errors import DetectorError, UntrustedDetectorError
from clausewise.models import Detector
from clausewise.models.classifiers.base import LogisticClassifier
from clausewise.models.storage import folder as storage
from clausewise.models.storage import signature

ROOT = Path(__file__).resolve().parents[2]

FRESH = """
import json, pickle, sys
from pathlib import Path
from clausewise.models import Detector
folder, sample = map(Path, sys.argv[1:])
scored = Detector.load(folder).score_inspections(pickle.loads(sample.read_bytes()))
heavy = {"torch", "snorkel", "autogluon", "sklearn", "pandas"} & set(sys.modules)
assert not heavy, heavy
print("\\n".join(json.dumps(case.to_dict()) for case in scored))
"""


@pytest.fixture(autouse=True)
def own_key(tmp_path, monkeypatch):
    """Keep the tests away from the real signing key."""
    path = tmp_path / "user" / "signing.key"
    monkeypatch.setattr(signature, "key_path", lambda: path)
    return path


@pytest.fixture(scope="module")
def inspections(make_inspections):
    return make_inspections(n=120)[0]


@pytest.fixture(
    params=[
        ("weighted", "logistic"),
        ("majority", "none"),
        pytest.param(("snorkel", "none"), marks=pytest.mark.learn),
    ],
    ids="-".join,
    scope="module",
)
def detector(request, signals, inspections):
    label_model, classifier = request.param
    new = Detector(signals=signals, label_model=label_model, classifier=classifier)
    return new.fit_inspections(inspections)


@pytest.fixture
def light(signals, inspections, tmp_path):
    """Return a saved logistic detector's folder."""
    detector = Detector(
        signals=signals, label_model="weighted", classifier="logistic", start="none"
    )
    detector.fit_inspections(inspections).save(tmp_path / "detector")
    return tmp_path / "detector"


@pytest.fixture
def pickled(light, monkeypatch, signals, inspections):
    """Return the folder of a detector whose classifier passes for one that holds pickles."""
    monkeypatch.setattr(LogisticClassifier, "holds_pickles", True)
    detector = Detector(
        signals=signals, label_model="weighted", classifier="logistic", start="none"
    )
    detector.fit_inspections(inspections).save(light)
    return light


def lines(detector, inspections):
    return [json.dumps(case.to_dict()) for case in detector.score_inspections(inspections)]


def test_a_fresh_process_gives_identical_output(detector, inspections, tmp_path):
    # outcomes alone travel to the other process, as plain library types
    import pickle

    detector.save(tmp_path / "saved")
    (tmp_path / "sample.pickle").write_bytes(pickle.dumps(inspections[:40]))
    done = subprocess.run(
        [sys.executable, "-c", FRESH, tmp_path / "saved", tmp_path / "sample.pickle"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == lines(detector, inspections[:40])


def test_two_saves_are_the_same_bytes(detector, tmp_path, signals, inspections):
    again = Detector(
        signals=signals, label_model=detector.label_model, classifier=detector.classifier
    ).fit_inspections(inspections)
    detector.save(tmp_path / "first")
    again.save(tmp_path / "second")
    contents = [
        {
            path.relative_to(tmp_path / name).as_posix(): path.read_bytes()
            for path in sorted((tmp_path / name).rglob("*"))
            if path.is_file()
        }
        for name in ("first", "second")
    ]
    assert contents[0] == contents[1]
    assert {"manifest.json", "label_model.json", "calibration.json", "card.md"} <= set(contents[0])


def test_settings_and_facts_come_back(light):
    loaded = Detector.load(light)
    assert (loaded.label_model, loaded.classifier, loaded.seed) == ("weighted", "logistic", 0)
    assert loaded.training_["n_cases"] == 120
    assert loaded.signals_[0].name == "database_0"


def test_the_card_says_on_what_it_was_trained(light):
    card = (light / "card.md").read_text(encoding="utf-8")
    for fact in (
        "Cases: 120",
        "Databases: 6 (db0, ",
        "No label was used",
        "- question_3 (version 2",
    ):
        assert fact in card


def test_a_detector_replaces_a_detector_and_nothing_else(light, signals, inspections, tmp_path):
    detector = Detector.load(light)
    detector.save(light)
    other = tmp_path / "thesis"
    other.mkdir()
    (other / "chapter1.tex").write_text("...", encoding="utf-8")
    with pytest.raises(DetectorError, match="thesis: this exists and is no detector"):
        detector.save(other)
    assert [path.name for path in other.iterdir()] == ["chapter1.tex"]


def test_a_failed_save_leaves_the_earlier_detector(light, monkeypatch):
    detector = Detector.load(light)
    before = (light / "manifest.json").read_bytes()

    def disk_full(*_args, **_kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(LogisticClassifier, "save", disk_full)
    with pytest.raises(DetectorError, match=r"cannot be written.*No space left"):
        detector.save(light)
    assert (light / "manifest.json").read_bytes() == before
    assert [path.name for path in light.parent.iterdir() if ".partial" in path.name] == []
    assert Detector.load(light).threshold_ == detector.threshold_


def test_a_missing_folder_or_manifest(tmp_path):
    with pytest.raises(DetectorError, match=r"nowhere: .*no such folder"):
        Detector.load(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DetectorError, match=r"no manifest\.json"):
        Detector.load(tmp_path / "empty")


@pytest.mark.parametrize(
    "name", ["label_model.json", "calibration.json", "classifier/logistic.json"]
)
def test_a_file_that_is_missing_or_damaged_is_named(light, name):
    path = light / name
    content = path.read_bytes()
    path.write_bytes(content[:-2] + b"!\n")
    with pytest.raises(DetectorError, match=rf"{name}: this file is damaged or was edited"):
        Detector.load(light)
    path.unlink()
    with pytest.raises(DetectorError, match=rf"{name}: the detector lacks this file"):
        Detector.load(light)


def test_text_for_people_may_be_changed(light, inspections):
    before = lines(Detector.load(light), inspections[:5])
    assert "card.md" not in json.loads((light / "manifest.json").read_text())["checksums"]
    with (light / "card.md").open("a") as card:
        card.write("\nFitted for the clinic.\n")
    (light / "notes.txt").write_text("Used since May.")
    assert lines(Detector.load(light), inspections[:5]) == before
    (light / "card.md").unlink()
    assert lines(Detector.load(light), inspections[:5]) == before
    # Only beside the manifest: a classifier may load such files of its own.
    (light / "classifier" / "notes.txt").write_text("")
    with pytest.raises(DetectorError, match=r"notes\.txt: this file does not belong"):
        Detector.load(light)


def test_a_damaged_manifest_is_reported(light):
    path = light / "manifest.json"
    good = path.read_text(encoding="utf-8")
    path.write_text(good.replace('"seed": 0', '"seed": 1'), encoding="utf-8")
    with pytest.raises(DetectorError, match=r"manifest\.json: this file is damaged or was edited"):
        Detector.load(light)
    path.write_text(good[:200], encoding="utf-8")
    with pytest.raises(DetectorError, match=r"manifest\.json: this file is damaged"):
        Detector.load(light)


def test_files_and_links_that_do_not_belong_are_named(light):
    (light / "classifier" / "extra.pkl").write_bytes(b"?")
    with pytest.raises(DetectorError, match=r"extra\.pkl: this file does not belong"):
        Detector.load(light)
    (light / "classifier" / "extra.pkl").unlink()
    (light / "link").symlink_to(light / "card.md")
    with pytest.raises(DetectorError, match="holds no links"):
        Detector.load(light)


def test_another_format_is_told_with_what_to_do(light, monkeypatch):
    monkeypatch.setattr(storage, "FORMAT_VERSION", 2)
    with pytest.raises(DetectorError, match=r"format 1 .* reads format 2: fit it again"):
        Detector.load(light)


def test_ones_own_pickles_load_without_a_word(pickled, own_key):
    assert own_key.stat().st_mode & 0o777 == 0o600
    assert Detector.load(pickled).classifier == "logistic"


def test_pickles_of_unknown_origin_ask_for_trust(pickled, own_key):
    own_key.write_bytes(bytes(32))
    with pytest.raises(UntrustedDetectorError, match=r"trust=True .*--trust-detector"):
        Detector.load(pickled)
    own_key.unlink()
    with pytest.raises(UntrustedDetectorError):
        Detector.load(pickled)
    assert Detector.load(pickled, trust=True).classifier == "logistic"


def test_a_manifest_cannot_deny_its_pickles(light, monkeypatch):
    monkeypatch.setattr(LogisticClassifier, "holds_pickles", True)
    with pytest.raises(DetectorError, match="the manifest denies it"):
        Detector.load(light)


def test_trust_does_not_excuse_damage(pickled):
    path = pickled / "classifier" / "logistic.json"
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(DetectorError, match="damaged"):
        Detector.load(pickled, trust=True)


def test_a_damaged_key_is_told(own_key, light, monkeypatch):
    own_key.parent.mkdir(parents=True, exist_ok=True)
    own_key.write_bytes(b"short")
    detector = Detector.load(light)
    monkeypatch.setattr(LogisticClassifier, "holds_pickles", True)
    with pytest.raises(DetectorError, match=r"signing\.key: this is no signing key"):
        detector.save(light)
