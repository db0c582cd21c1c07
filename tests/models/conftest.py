from dataclasses import dataclass

import numpy as np
import pytest

from clausewise.types import (
    Case,
    CaseStatus,
    Clause,
    ClauseSpan,
    Finding,
    Group,
    Inspection,
    Level,
    Outcome,
    OutcomeStatus,
)

SQL = "SELECT name FROM people"


@dataclass(frozen=True)
class StandIn:
    """What a detector reads of a signal's specification."""

    name: str
    group: Group = Group.DATABASE
    family: str = "value"
    version: int = 1


@pytest.fixture(scope="session")
def signals():
    database = [StandIn(f"database_{k}", family=f"family_{k // 2}") for k in range(5)]
    question = [StandIn(f"question_{k}", Group.QUESTION, f"words_{k}", 2) for k in range(4)]
    return (*database, *question)


@pytest.fixture(scope="session")
def make_votes():
    """Draw votes of independent functions from known tables, with the truth."""

    def make(n=4000, balance=0.35, seed=0, recalls=None, false_alarms=None):
        rng = np.random.default_rng(seed)
        recalls = np.linspace(0.15, 0.45, 8) if recalls is None else recalls
        false_alarms = np.linspace(0.05, 0.15, 8) if false_alarms is None else false_alarms
        incorrect = rng.random(n) < balance
        columns = [
            np.where(rng.random(n) < np.where(incorrect, recall, false_alarm), 1, -1)
            for recall, false_alarm in zip(recalls, false_alarms, strict=True)
        ]
        for right, wrong in ((0.6, 0.25), (0.5, 0.3)):
            columns.append(np.where(rng.random(n) < np.where(incorrect, wrong, right), 0, -1))
        return np.column_stack(columns).astype(np.int8), incorrect

    return make


@pytest.fixture(scope="session")
def make_inspections(signals):
    """Make inspected cases with their truth: signals fire more often on incorrect queries."""

    def make(n=300, seed=0, n_databases=6, balance=0.35):
        rng = np.random.default_rng(seed)
        incorrect = rng.random(n) < balance
        inspections = []
        for row in range(n):
            outcomes = {}
            for k, signal in enumerate(signals):
                rate = 0.1 + 0.03 * k if incorrect[row] else 0.04 + 0.005 * k
                draw = rng.random(3)
                findings: tuple[Finding, ...] = ()
                status = OutcomeStatus.SILENT
                if draw[0] < rate:
                    status = OutcomeStatus.FIRED
                    findings = tuple(
                        Finding(
                            ClauseSpan(Clause.SELECT, SQL, 0, len(SQL)),
                            score=round(float(0.3 + 0.7 * draw[1]), 3),
                            message="suspicious",
                            level=Level.WARNING if draw[2] < 0.5 else Level.ERROR,
                            signal=signal.name,
                        )
                        for _ in range(1 + int(draw[2] < 0.3))
                    )
                elif draw[1] < 0.1:
                    status = OutcomeStatus.NOT_APPLICABLE
                outcomes[signal.name] = Outcome(signal.name, status, findings)
            length = float(rng.poisson(30 if incorrect[row] else 22))
            case = Case.model_validate(
                {
                    "question_id": f"q{row}",
                    "db_id": f"db{row % n_databases}",
                    "question": f"Question {row}?",
                    "predicted_sql": SQL,
                    "difficulty": "hard",
                }
            )
            shape = {"tokens": length, "joins": float(rng.integers(0, 4))}
            inspections.append(Inspection(case, CaseStatus.OK, None, outcomes, shape))
        return inspections, incorrect

    return make
