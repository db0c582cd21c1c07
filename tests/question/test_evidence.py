"""Evidence statements, as people wrote them: what a phrase means in terms of the database."""

import pytest

from clausewise.question.evidence import evidence_statements

PHRASES = [
    ("women refers to gender = 'F'", ["women"]),
    ("Women refer to gender = 'F'", ["Women"]),
    ("women refered to gender = 'F'", ["women"]),
    ("women means gender = 'F'", ["women"]),
    ("women means that gender = 'F'", ["women"]),
    ("women stands for gender = 'F'", ["women"]),
    ("'F' stands for women", ["women"]),
    ("women denotes gender = 'F'", ["women"]),
    ("women are represented by gender = 'F'", ["women"]),
    ("women is denoted as gender = 'F'", ["women"]),
    ("women is expressed as gender = 'F'", ["women"]),
    ("WOMEN REFERS TO GENDER = 'F'", ["WOMEN"]),
    ("tall refers to height > 190; heavy refers to weight > 100", ["tall", "heavy"]),
    ("tall refers to height > 190. Heavy refers to weight > 100.", ["tall", "Heavy"]),
    ("tall refers to height > 190.5. Heavy refers to weight > 100", ["tall", "Heavy"]),
    ("tall refers to height > 190\nheavy refers to weight > 100", ["tall", "heavy"]),
    ("women refers to gender = 'F; x'", ["women"]),
    ("O'Neil refers to name = 'O'Neil'", ["O'Neil"]),
    ("in the 90s refers to year BETWEEN 1990 AND 1999", ["in the 90s"]),
    ("average age = AVG(age)", ["average age"]),
    ("rate = SUM(a = 'x') / COUNT(*) * 100", ["rate"]),
    ("superhero is the column name", ["superhero"]),
    ("'F' stands for female, 'M' for male", ["female", "male"]),
    ("sex: 'F' is female and 'M' is male", ["female", "male"]),
    ('codes: "A" means active, "D" means dead', ["active", "dead"]),
    ("gender = 'F' means female; gender = 'M' means male", ["female", "male"]),
    ("d = 5 refers to the best, d = 0 refers to the worst", ["the best", "the worst"]),
    ("tall refers to height > 190 and heavy refers to weight > 100", ["tall", "heavy"]),
    ("full name = first_name, last_name", ["full name"]),
    ("tall is when height > 190", ["tall"]),
    ("won refers result = 'Winner'", ["won"]),
    ("gender = 'F'", [""]),
    ("", []),
    (" ;; ", []),
]

COMPARISONS = [
    ("gender = 'F'", [("gender", "=", ("F",))]),
    ("gender == 'F'", [("gender", "=", ("F",))]),
    ("gender = F", [("gender", "=", ("F",))]),
    ("gender = \"F\"", [("gender", "=", ("F",))]),
    ("gender='F'", [("gender", "=", ("F",))]),
    ("T.kind != 3", [("T.kind", "<>", ("3",))]),
    ("kind <> 'a'", [("kind", "<>", ("a",))]),
    ("kind ! = 'a'", [("kind", "<>", ("a",))]),
    ("age >= 18", [("age", ">=", ("18",))]),
    ("age > = 18", [("age", ">=", ("18",))]),
    ("age < = 18", [("age", "<=", ("18",))]),
    ("age > 18 and age < 30", [("age", ">", ("18",)), ("age", "<", ("30",))]),
    ("height BETWEEN 170 AND 190", [("height", "BETWEEN", ("170", "190"))]),
    ("date between '1990-01-01' and '1999-12-31'",
     [("date", "BETWEEN", ("1990-01-01", "1999-12-31"))]),
    ("kind in ('a', 'b')", [("kind", "IN", ("a", "b"))]),
    ("kind NOT IN ('a', 'b')", [("kind", "NOT IN", ("a", "b"))]),
    ("left_on IS NULL", [("left_on", "IS", ("NULL",))]),
    ("left_on is not null", [("left_on", "IS NOT", ("null",))]),
    ("time has value", [("time", "IS NOT", ("NULL",))]),
    ("time has no value", [("time", "IS", ("NULL",))]),
    ("song = 'not null'", [("song", "IS NOT", ("NULL",))]),
    ("day between 01-01-2019 and 31-12-2019",
     [("day", "BETWEEN", ("01-01-2019", "31-12-2019"))]),
    ("name LIKE 'A%'", [("name", "LIKE", ("A%",))]),
    ("year(dob) > 1975", [("dob", ">", ("1975",))]),
    ("`Full Name` = 'A B'", [("FullName", "=", ("A B",))]),
    ("name = 'O'Neil'", [("name", "=", ("O'Neil",))]),
    ("eye_id = colour.id", []),
    ("time = incremental time + other", []),
    ("MAX(age)", []),
    ("forename, surname", []),
]  # fmt: skip

CALLS = [
    ("average age = AVG(age)", [("avg", "age")]),
    ("oldest refers to MAX(age)", [("max", "age")]),
    ("oldest refers to max (age)", [("max", "age")]),
    ("rate = DIVIDE(COUNT(a.b), SUM(c))",
     [("divide", "COUNT(a.b), SUM(c)"), ("count", "a.b"), ("sum", "c")]),
    ("rate = SUM(a = 'x') / COUNT(*) * 100", [("sum", "a = 'x'"), ("count", "*")]),
    ("difference = SUBTRACT(a, b)", [("subtract", "a, b")]),
    ("youngest refers to MIN(age", [("min", "age")]),
    ("women refers to gender = 'F'", []),
    ("in 2010 refers to YEAR(date) = 2010", []),
]  # fmt: skip


@pytest.mark.parametrize(("evidence", "expected"), PHRASES)
def test_phrases_that_evidence_explains(evidence: str, expected: list[str]) -> None:
    assert [statement.phrase for statement in evidence_statements(evidence)] == expected


@pytest.mark.parametrize(("meaning", "expected"), COMPARISONS)
def test_comparisons_of_evidence(meaning: str, expected: list[object]) -> None:
    (statement,) = evidence_statements(f"this refers to {meaning}")
    found = [(c.column, c.operator, c.values) for c in statement.comparisons]
    assert found == expected


@pytest.mark.parametrize(("evidence", "expected"), CALLS)
def test_functions_of_evidence(evidence: str, expected: list[tuple[str, str]]) -> None:
    (statement,) = evidence_statements(evidence)
    assert [(call.function, call.argument) for call in statement.calls] == expected


def test_names_that_evidence_lists() -> None:
    (statement,) = evidence_statements("full name refers to forename, surname")
    assert statement.listed
    assert statement.identifiers == ("forename", "surname")
    (statement,) = evidence_statements("women refers to gender = 'F'")
    assert not statement.listed
    assert statement.identifiers == ("gender",)


def test_evidence_is_read_as_statements() -> None:
    first, second, third = evidence_statements(
        "women refers to gender = 'F; x'; rate = DIVIDE(COUNT(a.b), SUM(c)); "
        "full name refers to forename, surname"
    )
    assert first.phrase == "women"
    assert [(c.column, c.operator, c.values) for c in first.comparisons] == [
        ("gender", "=", ("F; x",))
    ]
    assert second.phrase == "rate"
    assert [(call.function, call.argument) for call in second.calls] == [
        ("divide", "COUNT(a.b), SUM(c)"), ("count", "a.b"), ("sum", "c"),
    ]  # fmt: skip
    assert third.listed
    assert third.identifiers == ("forename", "surname")
