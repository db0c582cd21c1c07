"""Resumable writing: a run that was killed and resumed gives the same bytes."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clausewise.databases import Databases
from clausewise.datasets import dump_line, read_cases, sample_dir
from clausewise.errors import InputError
from clausewise.runs import SUFFIXES, Run, contents, fingerprint, settled

RECORDS: list[dict[str, Any]] = [
    {"question_id": number, "verdict": "correct", "p_correct": 0.9} for number in range(9)
]
LINES = [json.dumps(record) for record in RECORDS]


THIS = json.dumps({"cases": "a", "seed": "0"})


class Killed(Exception):
    pass


def until(records, count):
    """Yield records and stop as a kill does."""
    yield from records[:count]
    raise Killed


def killed_after(out: Path, count: int, fingerprint: str | None = None) -> None:
    run = Run(out, fingerprint or THIS)
    assert run.open() == 0
    with pytest.raises(Killed):
        run.write(until(RECORDS, count))
    run.close()


def beside(out: Path) -> list[str]:
    return sorted(path.name for path in out.parent.iterdir() if path != out)


@pytest.mark.parametrize("torn", ["", '{"question_id": 5, "verd'])
def test_a_killed_run_is_resumed_to_the_same_bytes(tmp_path: Path, torn: str) -> None:
    out = tmp_path / "out.jsonl"
    killed_after(out, 5)
    assert not out.exists()
    with (tmp_path / "out.jsonl.partial").open("a") as file:
        file.write(torn)
    counted: list[Any] = []
    resumed = Run(out, THIS, counted.append)
    done = resumed.open(resume=True)
    assert done == 5
    resumed.write(RECORDS[done:])
    resumed.finish()
    assert out.read_text(encoding="utf-8").splitlines() == LINES
    assert counted == RECORDS
    assert resumed.done == 9
    assert beside(out) == []


def test_a_run_is_resumed_only_with_the_same_fingerprint(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    killed_after(out, 2)
    with pytest.raises(InputError, match=r"something else as cases, seed; run again without"):
        Run(out, json.dumps({"cases": "b"})).open(resume=True)
    again = Run(out, json.dumps({"cases": "b"}))
    assert again.open() == 0
    again.write(RECORDS)
    again.finish()
    assert out.read_text(encoding="utf-8").splitlines() == LINES


def test_nothing_to_resume_begins_anew(tmp_path: Path) -> None:
    run = Run(tmp_path / "out.jsonl", THIS)
    assert run.open(resume=True) == 0


def test_an_earlier_file_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("earlier\n", encoding="utf-8")
    run = Run(out, THIS)
    run.open()
    run.write(RECORDS)
    assert out.read_text(encoding="utf-8") == "earlier\n"
    assert all(name.endswith(SUFFIXES) for name in beside(out))
    run.finish(lambda lines: (line.upper() for line in lines))
    assert out.read_text(encoding="utf-8").splitlines() == [line.upper() for line in LINES]
    assert beside(out) == []


def test_a_finished_run_may_become_a_table(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    run = Run(out, THIS)
    run.open()
    run.write(RECORDS)
    run.finish(file_format="csv")
    assert out.read_text(encoding="utf-8").splitlines()[:2] == [
        "question_id,verdict,p_correct",
        "0,correct,0.9",
    ]
    assert beside(out) == []


def test_the_fingerprint_changes_with_everything_that_counts(tmp_path: Path) -> None:
    sample = sample_dir()
    cases = read_cases(sample / "cases.jsonl")
    folder = shutil.copytree(sample / "databases", tmp_path / "databases")
    labels, votes = tmp_path / "labels.jsonl", tmp_path / "votes.jsonl"
    labels.write_text("a", encoding="utf-8")
    votes.write_text("b", encoding="utf-8")
    detector = tmp_path / "detector"
    detector.mkdir()
    (detector / "manifest.json").write_text("{}", encoding="utf-8")

    def of(seen=cases, settings=None, **inputs) -> str:
        read = contents(inputs or {"--labels": labels, "--votes": votes})
        return fingerprint(read, seen, Databases(folder), settings or {"threshold": "0.5"})

    base = of()
    assert base == of()
    others = [
        of(settings={"threshold": "0.6"}),
        of(cases[:1]),
        of(labels=labels, votes=votes, detector=detector),
        of(labels=labels),
        of(labels=votes, votes=labels),
        of(labels=labels, votes=votes),
    ]
    labels.write_text("c", encoding="utf-8")
    others.append(of())
    labels.write_text("a", encoding="utf-8")
    (detector / "manifest.json").write_text("{ }", encoding="utf-8")
    others.append(of(labels=labels, votes=votes, detector=detector))
    with sqlite3.connect(folder / "bookshop" / "bookshop.sqlite") as connection:
        connection.execute("CREATE TABLE more (x)")
    connection.close()
    others.append(of())
    described = next(folder.glob("*/database_description/*.csv"))
    described.write_bytes(described.read_bytes() + b" ")
    others.append(of())
    assert len({base, *others}) == len(others) + 1


def test_a_pipe_is_never_the_same_again(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert contents({"CASES": tmp_path / "pipe"}) != contents({"CASES": tmp_path / "pipe"})


def test_a_second_run_is_refused_while_the_first_one_writes(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    (tmp_path / "link.jsonl").symlink_to(out)
    run = Run(out, THIS)
    run.open()
    run.write(RECORDS[:4])
    for resume in (False, True):
        for name in ("out.jsonl", "link.jsonl"):
            with pytest.raises(InputError, match="another run is writing this file"):
                Run(tmp_path / name, THIS).open(resume)
    run.write(RECORDS[4:])
    run.finish()
    assert out.read_text(encoding="utf-8").splitlines() == LINES
    assert beside(out) == ["link.jsonl"]
    with Run(out, THIS) as again:
        again.open()


def test_the_lock_of_a_killed_process_does_not_block(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    code = (
        "import os, signal; from pathlib import Path; from clausewise.runs import Run;"
        f"run = Run(Path({str(out)!r}), {THIS!r}); run.open(); run.write([{RECORDS[0]!r}]);"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    assert set(beside(out)) == {f"out.jsonl{suffix}" for suffix in SUFFIXES}
    with Run(out, THIS) as run:
        assert run.open(resume=True) == 1
    assert "out.jsonl.partial.lock" not in beside(out)


@pytest.mark.parametrize(
    "damage",
    [
        b"{not json}\n",
        b"\xff\xfe\n",
        b"\0" * 4096 + b"\n",
        b"[" * 200_000 + b"]" * 200_000 + b"\n",
        b"[1, 2]\n",
        b"{}\n",
        b'{"question_id": 5, "verdict": []}\n',
    ],
)
def test_a_damaged_part_is_cut_off_and_written_again(tmp_path: Path, damage: bytes) -> None:
    out, partial = tmp_path / "out.jsonl", tmp_path / "out.jsonl.partial"
    killed_after(out, 5)
    lines = partial.read_bytes().splitlines(keepends=True)
    partial.write_bytes(b"".join([*lines[:3], damage, *lines[3:]]))
    counts: Counter[str] = Counter()
    with Run(out, THIS, lambda record: counts.update([record["verdict"]])) as run:
        assert run.open(resume=True, total=9) == 3
        run.write(RECORDS[3:])
        run.finish()
    assert out.read_text(encoding="utf-8").splitlines() == LINES
    assert counts == {"correct": 9}


def test_more_lines_than_cases_are_cut_off(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    killed_after(out, 8)
    with Run(out, THIS) as run:
        assert run.open(resume=True, total=6) == 6
        run.finish()
    assert out.read_text(encoding="utf-8").splitlines() == LINES[:6]


@pytest.mark.parametrize("damage", [b"", b"not json", b"\xff", b"[]", b"[" * 200_000])
def test_what_a_partial_file_is_of_may_be_damaged(tmp_path: Path, damage: bytes) -> None:
    out = tmp_path / "out.jsonl"
    killed_after(out, 5)
    about = tmp_path / "out.jsonl.partial.run"
    about.write_bytes(damage)
    with pytest.raises(InputError, match="damaged; run again without --resume") as caught:
        Run(out, THIS).open(resume=True)
    assert caught.value.path == str(about)
    about.unlink()
    with pytest.raises(InputError, match="is missing"):
        Run(out, THIS).open(resume=True)


def test_links_are_followed_and_the_mode_is_kept(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "real.jsonl", tmp_path / "out.jsonl"
    target.write_text("earlier")
    target.chmod(0o640)
    link.symlink_to(target)
    for file_format in ("jsonl", "csv"):
        with Run(link, THIS) as run:
            run.open()
            run.write(RECORDS)
            run.finish(file_format=file_format)
        assert link.is_symlink()
        assert len(target.read_text().splitlines()) == 9 + (file_format == "csv")
        assert target.stat().st_mode & 0o777 == 0o640
        assert beside(target) == []


@pytest.mark.parametrize("file_format", ["jsonl", "csv"])
def test_a_full_disk_ends_the_run_and_the_rest_is_resumed(tmp_path: Path, file_format: str) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("earlier")
    many = [{"number": number} for number in range(1000)]
    code = f"""
import resource, signal
from pathlib import Path
from clausewise.errors import InputError
from clausewise.runs import Run
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
run = Run(Path({str(out)!r}), {THIS!r})
run.open()
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
try:
    run.write({{"number": number}} for number in range(1000))
except InputError as error:
    print(error)
run.close()
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert (
        done.stdout == f"{out}.partial: cannot be written: File too large; continue with --resume\n"
    )
    assert done.stderr == ""
    assert out.read_text() == "earlier"
    with Run(out, THIS) as run:
        start = run.open(resume=True, total=1000)
        assert 0 < start < 1000
        run.write(many[start:])
        run.finish(file_format=file_format)
    lines = out.read_text().splitlines()
    assert lines[-1000:] == (
        [json.dumps(record) for record in many]
        if file_format == "jsonl"
        else [str(number) for number in range(1000)]
    )


def test_cases_of_too_high_a_risk_are_marked() -> None:
    probabilities = [0.95, 0.45, 0.9, 0.05]
    lines = [
        json.dumps({"p_correct": p, "status": "ok", "verdict": verdict, "abstained": False})
        for p, verdict in zip(
            probabilities, ["correct", "incorrect", "correct", "incorrect"], strict=True
        )
    ]
    lines.append(json.dumps({"p_correct": 0.0, "status": "unparsable", "verdict": "incorrect"}))
    notes: list[str] = []
    marked = [json.loads(line) for line in settled(lines, max_risk=0.1, notify=notes.append)]
    assert [record["abstained"] for record in marked] == [False, True, False, False, False]
    assert notes == ["abstained on 1 of 4 queries that run: p(correct) from 0.450 to 0.450"]


def scored_lines(share: float, n: int = 400) -> list[str]:
    """Return lines with probabilities made for a quarter of errors, where a share is incorrect."""
    rng = np.random.default_rng(0)
    wrong = rng.random(n) < share
    log_odds = rng.normal(np.where(wrong, 1.5, -1.5), 1.7) + np.log(1 / 3)
    return [
        json.dumps(
            {
                "p_correct": round(float(1 / (1 + np.exp(one))), 6),
                "status": "ok",
                "verdict": "incorrect" if one >= 0.0 else "correct",
                "threshold": 0.5,
                "abstained": False,
                "explanation": {"prior": float(np.log(1 / 3))},
                "truth": bool(is_wrong),
            }
        )
        for one, is_wrong in zip(log_odds.tolist(), wrong.tolist(), strict=True)
    ]


@pytest.mark.parametrize("share", [0.05, 0.6])
def test_probabilities_move_to_the_share_of_the_file_and_verdicts_stay(share: float) -> None:
    lines = scored_lines(share)
    notes: list[str] = []
    moved = [json.loads(line) for line in settled(lines, own_share=True, notify=notes.append)]
    before = [json.loads(line) for line in lines]
    mean = sum(1 - record["p_correct"] for record in moved) / len(moved)
    truth = sum(record["truth"] for record in before) / len(before)
    assert mean == pytest.approx(truth, abs=0.05)
    assert [one["verdict"] for one in moved] == [one["verdict"] for one in before]
    for record in moved:
        called = 1 - record["p_correct"] >= record["threshold"] - 2e-6
        assert called or record["verdict"] == "correct"
    prior = 1 / (1 + np.exp(-moved[0]["explanation"]["prior"]))
    assert prior == pytest.approx(mean, abs=0.05)
    assert len(notes) == 1
    assert "no label of this database was seen" in notes[0]


def test_the_order_of_the_lines_moves_nothing() -> None:
    lines = scored_lines(0.3)
    there = list(settled(lines, own_share=True))
    assert list(settled(lines[::-1], own_share=True)) == there[::-1]


def test_a_few_cases_keep_their_probabilities() -> None:
    lines = scored_lines(0.6, n=20)
    assert list(settled(lines, own_share=True)) == [dump_line(json.loads(x)) for x in lines]


def test_a_risk_is_kept_at_the_share_of_the_file() -> None:
    lines = scored_lines(0.6, n=2_000)
    for own_share in (False, True):
        marked = map(json.loads, settled(lines, own_share=own_share, max_risk=0.1))
        kept = [record for record in marked if not record["abstained"]]
        wrong = sum((one["verdict"] == "incorrect") != one["truth"] for one in kept)
        assert kept
        assert wrong / len(kept) <= 0.12


def test_where_nothing_can_be_promised_it_is_said() -> None:
    record = json.loads(scored_lines(0.6, n=1)[0]) | {"p_correct": 0.5}
    notes: list[str] = []
    marked = list(settled([json.dumps(record)] * 60, max_risk=0.01, notify=notes.append))
    assert all(json.loads(line)["abstained"] for line in marked)
    assert notes == [
        "no verdict can be relied on at a risk of 0.01: too little is known of these cases"
    ]
