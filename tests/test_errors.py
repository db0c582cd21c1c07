import copy
import pickle

import pytest

from clausewise import errors

EXAMPLES = [
    errors.InputError("not JSON", path="cases.jsonl", line=7, field="question"),
    errors.CaseError("missing", path="cases.jsonl", line=7),
    errors.MissingExtraError("Snorkel", "learn"),
    errors.ParseError("unexpected FROM", 3, 7),
    errors.QueryTimeout("too long"),
]


def test_an_input_error_names_file_line_and_field() -> None:
    assert str(EXAMPLES[0]) == "cases.jsonl:7: field 'question': not JSON"


def test_a_missing_extra_names_the_pip_command() -> None:
    assert errors.install_command("learn") in str(EXAMPLES[2])


@pytest.mark.parametrize(
    ("record", "command"),
    [
        (None, "pip install '.[learn]'"),
        ("no JSON", "pip install '.[learn]'"),
        (
            '{"url": "file:///a%20b/c", "dir_info": {"editable": true}}',
            "pip install -e '/a b/c[learn]'",
        ),
        ('{"url": "file:///src/c", "dir_info": {}}', "pip install '/src/c[learn]'"),
    ],
)
def test_the_pip_command_names_where_clausewise_was_installed_from(
    monkeypatch: pytest.MonkeyPatch, record: str | None, command: str
) -> None:
    class Installed:
        def read_text(self, name: str) -> str | None:
            return record

    monkeypatch.setattr("importlib.metadata.distribution", lambda name: Installed())
    assert errors.install_command("learn") == command


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_errors_cross_process_borders(error: errors.ClausewiseError) -> None:
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(twin) is type(error)
        assert str(twin) == str(error)
        assert vars(twin) == vars(error)


def test_every_error_is_in_the_tree_of_the_module_docstring() -> None:
    names = [
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, Exception)
    ]
    assert [name for name in names if name not in (errors.__doc__ or "")] == []
