"""The packaged sample: three small databases with right and wrong queries, made for clausewise.

The databases are kept twice: as SQL text, which people read and change, and as the SQLite files
made from it, so that the sample can be used from a read-only installation. After a change of
the text call `rebuild_sample()`; a test fails when the two differ.
"""

from __future__ import annotations

from pathlib import Path

DATABASE_NAMES = ("bookshop", "clinic", "cycling")
"""The `db_id` of every packaged database."""


def sample_dir() -> Path:
    """Return the folder of the packaged sample; treat it as read-only.

    It holds `cases.jsonl` (the input of `fit` and `score`), `labels.jsonl` (`question_id`,
    `correct`, and for wrong queries `error`, the kind of mistake), `gold.jsonl` (`question_id`,
    `gold_sql`), `databases/<db_id>/<db_id>.sqlite` and a README.md.
    """
    return Path(__file__).resolve().parent / "sample"


def build_sample_database(name: str, target: Path) -> None:
    """Build one packaged database from its SQL text.

    `name` is one of `DATABASE_NAMES`; `target` is the SQLite file to write, replaced if there.
    """
    from clausewise.databases import create_database

    script = sample_dir() / "databases" / name / f"{name}.sql"
    create_database(target, script.read_text(encoding="utf-8"))


def rebuild_sample() -> None:
    """Write the packaged SQLite files anew from their SQL text (in a source checkout)."""
    for name in DATABASE_NAMES:
        target = sample_dir() / "databases" / name / f"{name}.sqlite"
        build_sample_database(name, target)
