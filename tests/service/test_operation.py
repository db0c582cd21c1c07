"""OpenAPI, metrics, and logs."""

import re

import jsonschema
from prometheus_client.parser import text_string_to_metric_families

from tests.service.running import CASE, Served

QUESTION = "Which secret question is that?"


def test_openapi_describes_what_is_answered(service: Served) -> None:
    document = service.ask("GET", "/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    paths = ("check", "score", "report", "feedback", "databases")
    assert {*document["paths"]} == {"/health", "/ready", "/metrics", *(f"/v1/{p}" for p in paths)}
    schemas = document["components"]["schemas"]
    for schema in schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    references = set(re.findall(r"'#/components/schemas/(\w+)'", str(document)))
    assert references <= set(schemas)

    def conforms(value: object, name: str) -> None:
        jsonschema.validate(value, {**schemas[name], "components": {"schemas": schemas}})

    operation = document["paths"]["/v1/check"]["post"]
    for example in operation["requestBody"]["content"]["application/json"]["examples"].values():
        conforms(example["value"], "CaseToCheck")
        assert service.ask("POST", "/v1/check", example["value"]).status == 200
    conforms(service.check().json(), "ScoredCase")
    conforms(service.check(question=5).json(), "ProblemDetails")
    conforms(service.ask("GET", "/v1/databases").json(), "NamedDatabases")


def test_metrics_can_be_read_and_count(service: Served) -> None:
    def values() -> dict[tuple[str, ...], float]:
        text = service.ask("GET", "/metrics").body.decode()
        return {
            (sample.name, *sample.labels.values()): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }

    before = values()
    service.check()
    service.check(db_id="nothing")
    service.check(predicted_sql="SELECT nothing FROM books")
    after = values()
    changed = {name: value - before.get(name, 0) for name, value in after.items()}
    assert changed["clausewise_requests_total", "/v1/check", "POST", "200"] == 2
    assert changed["clausewise_requests_total", "/v1/check", "POST", "404"] == 1
    assert changed["clausewise_cases_total", "ok", "correct"] == 1
    assert changed["clausewise_cases_total", "not_executable", "incorrect"] == 1
    assert changed["clausewise_request_seconds_count", "/v1/check"] == 3
    assert after["clausewise_queue_length",] == 0
    assert after["clausewise_requests_in_flight",] == 1


def test_the_log_has_one_object_a_request_and_nothing_of_the_case(service: Served) -> None:
    service.ask("GET", "/health")
    while service.logged()[-1]["endpoint"] != "/health":
        pass
    count = len(service.logged())
    service.ask("POST", "/v1/check?q=secret", {**CASE, "question": QUESTION})
    service.ask("GET", "/secret/path")
    while len(service.logged()) < count + 2:
        pass  # a request is logged after it was answered
    checked, unknown = service.logged()[count:]
    assert checked.keys() == {
        *("time", "level", "logger", "event"),
        *("endpoint", "method", "status", "ms", "bytes"),
    }
    assert (checked["endpoint"], checked["status"]) == ("/v1/check", 200)
    assert (unknown["endpoint"], unknown["status"]) == ("other", 404)
    text = service.log.read_text()
    assert "secret" not in text
    assert CASE["predicted_sql"] not in text
