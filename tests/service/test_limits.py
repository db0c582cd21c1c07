"""What a service refuses, and what it does with cases that take too long or kill their worker."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from clausewise.datasets import sample_dir
from tests.service.running import CASE, ENDLESS, SLOW, Served, begin, finished, serving, wait_for

BOOKSHOP = sample_dir() / "databases" / "bookshop" / "bookshop.sqlite"

CONFIG = f"""
jobs = 1
token_env = "SERVICE_TOKEN"

[databases.bookshop]
path = "{BOOKSHOP}"
description = "Books and who bought them"

[databases.gone]
path = "gone/away.sqlite"

[databases.spoilt]
path = "spoilt.sqlite"

[limits]
body_bytes = 3000
cases = 3
case_seconds = 0.5
queue_seconds = 0.3
requests = 2
"""
TOKEN = "a very secret token"
AUTHORIZED = {"Authorization": f"Bearer {TOKEN}"}


class Limited(Served):
    """Sends the token with every request that has no headers of its own."""

    def ask(self, method, path, body=None, headers=None):
        return super().ask(method, path, body, AUTHORIZED if headers is None else headers)

    def begin(self, body):
        connection = self.connection()
        import json

        connection.request("POST", "/v1/check", json.dumps(body).encode(), AUTHORIZED)
        return connection


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("limited")


@pytest.fixture(scope="module")
def limited(folder: Path) -> Iterator[Limited]:
    config = folder / "service.toml"
    config.write_text(CONFIG)
    (folder / "spoilt.sqlite").write_bytes(b"SQLite format 3\0" + b"nothing" * 1000)
    environment = {"SERVICE_TOKEN": TOKEN}
    with serving(folder / "log", "--config", config, environment=environment) as served:
        yield Limited(**vars(served))


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": f"Bearer {TOKEN[:-1]}"},
    ],
)
def test_without_the_token_nothing_is_answered_but_health(limited: Limited, headers) -> None:
    for method, path in (
        ("POST", "/v1/check"),
        ("POST", "/v1/score"),
        ("POST", "/v1/report"),
        ("GET", "/v1/databases"),
        ("GET", "/metrics"),
        ("GET", "/openapi.json"),
        ("POST", "/mcp"),
        ("GET", "/nothing"),
    ):
        reply = limited.ask(method, path, CASE if method == "POST" else None, headers)
        assert reply.status == 401
        assert reply.headers["www-authenticate"] == "Bearer"
        assert reply.json()["status"] == 401
    assert limited.ask("GET", "/health", headers=headers).status == 200
    assert limited.ask("GET", "/ready", headers=headers).status == 200


def test_a_body_that_is_too_large(limited: Limited) -> None:
    large = {**CASE, "question": "x" * 3000}
    assert limited.ask("POST", "/v1/check", large).status == 413
    connection = limited.connection()
    chunks = (b'{"question": "', *[b"x" * 500] * 7, b'"}')
    connection.request("POST", "/v1/check", iter(chunks), AUTHORIZED, encode_chunked=True)
    reply = finished(connection)
    assert reply.status == 413
    assert reply.json()["detail"] == "the body has more than the 3000 bytes that it may have"


def test_too_many_cases(limited: Limited) -> None:
    rows = [{"question_id": number, **CASE} for number in range(4)]
    assert limited.ask("POST", "/v1/score", rows[:3]).status == 200
    reply = limited.ask("POST", "/v1/score", rows)
    assert reply.status == 413
    assert reply.json()["detail"] == "4 cases are more than the 3 that one request may have"


def test_a_case_that_takes_too_long_is_ended_and_the_next_one_is_checked(limited: Limited) -> None:
    reply = limited.check(predicted_sql=ENDLESS)
    assert reply.status == 504
    assert reply.json()["detail"] == "the case was not done after 0.5 seconds and was ended"
    limited.wait_until_ready()
    rows = [{"question_id": 1, **CASE}, {"question_id": 2, **CASE, "predicted_sql": ENDLESS}]
    first, second = limited.ask("POST", "/v1/score", rows).lines()
    assert first["status"] == "ok"
    assert second["status"] == "unchecked"
    assert second["reason"] == "the case was not done after 0.5 seconds"
    assert 'clausewise_workers_ended_total{why="limit"} 2.0' in (
        limited.ask("GET", "/metrics").body.decode()
    )
    limited.wait_until_ready()
    assert limited.check().status == 200


def test_who_waits_too_long_is_told_to_come_again(limited: Limited) -> None:
    limited.wait_until_ready()
    slow = limited.begin({**CASE, "predicted_sql": ENDLESS})
    wait_for(limited, "clausewise_requests_in_flight", 2)
    reply = limited.check()
    assert finished(slow).status == 504
    assert reply.status == 503
    assert reply.headers["retry-after"] == "1"
    assert reply.json()["detail"] == "no process was free in time; try again later"
    limited.wait_until_ready()


def test_too_many_requests_in_flight(limited: Limited) -> None:
    limited.wait_until_ready()
    several = [limited.begin({**CASE, "predicted_sql": ENDLESS}) for _ in range(2)]
    wait_for(limited, "clausewise_requests_in_flight", 3)
    reply = limited.check()
    assert reply.status == 503
    assert reply.headers["retry-after"] == "1"
    assert reply.json()["detail"] == "2 requests are in flight; try again later"
    assert limited.ask("GET", "/health").status == 200
    for connection in several:
        finished(connection)
    limited.wait_until_ready()


def test_no_answer_says_where_a_database_is(limited: Limited, folder: Path) -> None:
    assert limited.ask("GET", "/ready").json()["not_prepared"] == ["gone", "spoilt"]
    assert limited.ask("GET", "/v1/databases").json()["databases"][0] == {
        "name": "bookshop",
        "description": "Books and who bought them",
    }
    for name in ("gone", "spoilt", "bookshop"):
        for sql in (CASE["predicted_sql"], "PRAGMA database_list", "SELECT * FROM gone.t"):
            reply = limited.check(db_id=name, predicted_sql=sql)
            text = reply.body.decode()
            assert reply.status == 200
            assert str(folder) not in text
            assert str(BOOKSHOP.parent) not in text
            assert "away.sqlite" not in text
            if name != "bookshop":
                assert reply.json()["status"] == "unchecked"
                assert "***" in reply.json()["reason"]


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE books",
        "DELETE FROM books",
        "UPDATE books SET price = 0",
        "SELECT 1; DROP TABLE books",
        "ATTACH DATABASE '/tmp/x.sqlite' AS x",
        "PRAGMA writable_schema = 1",
        "SELECT load_extension('/tmp/x.so')",
        "VACUUM INTO '/tmp/x.sqlite'",
        "WITH x AS (SELECT 1) INSERT INTO books SELECT * FROM x",
    ],
)
def test_hostile_statements_change_nothing(service: Served, sql: str) -> None:
    before = hashlib.sha256(BOOKSHOP.read_bytes()).hexdigest()
    reply = service.check(predicted_sql=sql)
    assert reply.status == 200
    assert reply.json()["status"] in ("not_executable", "unparsable")
    assert hashlib.sha256(BOOKSHOP.read_bytes()).hexdigest() == before


def test_another_name_and_pages_of_other_sites_are_refused(service: Served) -> None:
    assert service.ask("POST", "/v1/check", CASE, {"Host": "evil.example"}).status == 421
    assert service.ask("POST", "/v1/check", CASE, {"Origin": "http://evil.example"}).status == 403
    own = f"http://{service.host}:{service.port}"
    assert service.ask("POST", "/v1/check", CASE, {"Origin": own}).status == 200


def test_a_case_whose_worker_dies_is_checked_by_another(tmp_path: Path) -> None:
    with serving(tmp_path / "log", "--db", BOOKSHOP, "--jobs", "1") as served:
        slow = begin(served, "/v1/check", {**CASE, "predicted_sql": SLOW})
        wait_for(served, "clausewise_requests_in_flight", 2)
        (worker,) = psutil.Process(served.process.pid).children()
        worker.kill()
        reply = finished(slow)
        assert reply.status == 200
        assert reply.json()["reason"] == "stopped after 200,000,000 steps of the database's machine"
        counted = served.ask("GET", "/metrics").body.decode()
        assert 'clausewise_workers_ended_total{why="death"} 1.0' in counted


def test_requests_in_flight_are_answered_before_the_end(tmp_path: Path) -> None:
    with serving(tmp_path / "log", "--db", BOOKSHOP) as served:
        one = begin(served, "/v1/check", {**CASE, "predicted_sql": SLOW})
        rows = [{"question_id": number, **CASE} for number in range(300)]
        many = begin(served, "/v1/score", rows)
        wait_for(served, "clausewise_requests_in_flight", 3)
        served.process.terminate()
        assert finished(one).status == 200
        assert len(finished(many).lines()) == 300
        assert served.process.wait() == 0
        with pytest.raises(ConnectionRefusedError):
            served.ask("GET", "/health")


@pytest.mark.slow
def test_several_server_processes_share_an_address_and_their_numbers(tmp_path: Path) -> None:
    options = ("--db", BOOKSHOP, "--workers", "2", "--jobs", "1")
    with serving(tmp_path / "log", *options) as served:
        assert {served.check().status for _ in range(10)} == {200}
        wait_for(served, "clausewise_cases_total", 10)
        assert served.end() == 0
