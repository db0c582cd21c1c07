"""The configuration file, and what `clausewise serve` says of a wrong one."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from clausewise.errors import InputError, MissingExtraError
from clausewise.service.configuration import make_config, read_config
from clausewise.service.redaction import without_secrets


def _written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "service.toml"
    path.write_text(text)
    return path


def test_relative_paths_are_beside_the_file(tmp_path: Path) -> None:
    config = read_config(
        _written(
            tmp_path,
            'detector = "d"\n[databases.a]\npath = "a.db"\ndescriptions = "texts"\n'
            '[databases.b]\nurl = "postgresql://u:p4ss@host/name"\n',
        )
    )
    assert config.targets() == {
        "a": str(tmp_path / "a.db"),
        "b": "postgresql://u:p4ss@host/name",
    }
    assert config.descriptions() == {"a": tmp_path / "texts"}
    assert config.detector_folder() == tmp_path / "d"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "field 'databases': field required"),
        ("databases = 5", "field 'databases'"),
        ("[databases]", "field 'databases'"),
        ("[databases.a]", "field 'databases.a': give one of path, url and url_env"),
        ('[databases.a]\npath = "x"\nurl = "y"', "give one of path, url and url_env"),
        ('[databases.a]\nfile = "x"', "field 'databases.a.file': unknown field"),
        ('[databases.a]\npath = "x"\n[limits]\ncases = 0', "field 'limits.cases'"),
        ('jobs = "many"\n[databases.a]\npath = "x"', "field 'jobs'"),
        ('folder = "/"\n[databases.a]\npath = "x"', "field 'folder': unknown field"),
        ('alarms = 2\n[databases.a]\npath = "x"', "field 'alarms'"),
        ('conventions = "loose"\n[databases.a]\npath = "x"', "field 'conventions'"),
        ("[", "is no TOML"),
    ],
)
def test_a_wrong_field_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = _written(tmp_path, text)
    with pytest.raises(InputError) as raised:
        read_config(path)
    assert said in str(raised.value).lower().replace("toml", "TOML")
    assert str(path) in str(raised.value)


def test_the_file_says_how_verdicts_are_made(tmp_path: Path) -> None:
    text = 'alarms = 0.02\nconventions = "strict"\n[databases.a]\npath = "a.db"\n'
    config = read_config(_written(tmp_path, text))
    assert (config.alarms, config.conventions) == (0.02, "strict")


def test_secrets_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    config = make_config({"databases": {"a": {"url_env": "A_URL"}}, "token_env": "A_TOKEN"})
    with pytest.raises(InputError, match="A_URL"):
        config.targets()
    with pytest.raises(InputError, match="A_TOKEN"):
        config.token()
    monkeypatch.setenv("A_URL", "mysql://me:pass word@db.example:3306/shop")
    monkeypatch.setenv("A_TOKEN", "t0ken")
    assert config.token() == "t0ken"
    hidden = without_secrets(
        {"reason": ["cannot reach me@db.example:3306 with 'pass word'"]}, config.secrets()
    )
    assert "pass word" not in str(hidden)
    assert "db.example" not in str(hidden)


def _ended(*options: object, **environment: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "clausewise", "serve", *map(str, options)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("library", ["fastapi", "mcp", "prometheus_client", "uvicorn"])
def test_without_the_extra_the_command_names_it(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = ("clausewise.service", f"{library}.")
    for name in [name for name in sys.modules if name.startswith(loaded)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError, match="serve"):
        importlib.import_module("clausewise.service.running").require_extra()


def test_what_the_command_refuses(tmp_path: Path) -> None:
    assert _ended() == (2, "error: give one of --config FILE, --databases DIR and --db URL\n")
    code, said = _ended("--databases", tmp_path / "nothing")
    assert (code, "no such folder" in said) == (2, True)
    code, said = _ended("--config", tmp_path / "nothing.toml")
    assert (code, "cannot be read: No such file or directory" in said) == (2, True)
    config = _written(tmp_path, '[databases.a]\npath = "a.db"')
    code, said = _ended("--config", config, "--token-env", "NOT_SET_ANYWHERE")
    assert (code, "NOT_SET_ANYWHERE is not set" in said) == (2, True)
    code, said = _ended("--config", config, "--alarms", "0.6")
    assert (code, "between 0.01 and 0.3, got 0.6" in said) == (2, True)
    code, said = _ended("--config", config, "--alarms", "7")
    assert (code, "between 0 and 1, got 7" in said) == (2, True)
    code, said = _ended("--config", config, "--port", "0", "--host", "192.0.2.1")
    assert code == 2
    assert "cannot listen to 192.0.2.1 port 0" in said
