"""The ablation on the command line."""

import json


def test_ablate_names_every_part(run, sample) -> None:
    common = (
        "ablate", sample / "cases.jsonl", "--databases", sample / "databases",
        "--labels", sample / "labels.jsonl", "--signals", "sqlens", "--bootstrap", 20,
    )  # fmt: skip
    done = run(*common, "--json")
    assert done.code == 0, done.err
    figures = json.loads(done.out)
    assert figures["by"] == "signal"
    assert len(figures["parts"]) == 10
    for part in figures["parts"]:
        if part["without"] is not None:
            assert abs(part["change"] - (part["without"] - figures["auc"])) < 2e-6
    table = run(*common, "--by", "family")
    assert table.code == 0
    assert "AUC without" in table.out
    assert "10" not in run(*common, "--by", "code").out


def test_ablate_needs_labels_of_these_cases(run, sample, tmp_path) -> None:
    other = tmp_path / "labels.jsonl"
    other.write_text('{"question_id": "no such question", "correct": true}\n')
    done = run("ablate", sample / "cases.jsonl", "--databases", sample / "databases",
               "--labels", other, "--signals", "sqlens")  # fmt: skip
    assert done.code == 2
    assert "both classes" in done.err
