"""Which database servers tests can start here, and which Debian package brings the others.

`python tests/servers/installed.py` prints a line for each that is missing, and with `--packages`
the names of their packages. It needs nothing but Python's own library.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

REQUIRED = "CLAUSEWISE_REQUIRE_SERVERS"
"""Environment variable: where it is 1, a test whose server is missing fails."""

_POSTGRESQL_FOLDERS = Path("/usr/lib/postgresql")
_ADMINISTRATOR_FOLDERS = ("/usr/sbin", "/usr/local/sbin", "/sbin")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of server that tests start."""

    name: str
    title: str
    package: str
    """What brings it, on Debian."""
    programs: tuple[tuple[str, ...], ...]
    """What it is made of and served by, each under any of its names."""
    users: tuple[str, ...]
    """Users without privileges who may run it, the best first."""
    driver: str
    """The module that connects to it."""

    def find(self) -> tuple[Path, ...] | None:
        """Return the programs, None where one is missing."""
        found = [_find(names) for names in self.programs]
        programs = tuple(path for path in found if path is not None)
        return programs if len(programs) == len(found) else None

    @property
    def left_out(self) -> str:
        """What to say where it is missing."""
        return (
            f"left out: the tests on a real {self.title}, which is not installed "
            f"(on Debian: apt-get install {self.package})"
        )


KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "postgresql",
            "PostgreSQL",
            "postgresql",
            (("initdb",), ("postgres",)),
            ("postgres", "nobody"),
            "psycopg",
        ),
        Kind(
            "mariadb",
            "MariaDB",
            "mariadb-server",
            (("mariadb-install-db", "mysql_install_db"), ("mariadbd", "mysqld")),
            ("mysql", "nobody"),
            "pymysql",
        ),
    )
}


def missing() -> list[Kind]:
    """Return the kinds that are not installed."""
    return [kind for kind in KINDS.values() if kind.find() is None]


def _find(names: tuple[str, ...]) -> Path | None:
    path = os.pathsep.join((os.environ.get("PATH", ""), *_folders()))
    found = (shutil.which(name, path=path) for name in names)
    return next((Path(program) for program in found if program), None)


def _folders() -> Iterator[str]:
    """Yield where Debian puts programs that are not in the PATH, the newest version first."""
    versions = _POSTGRESQL_FOLDERS.glob("*/bin")
    yield from map(str, sorted(versions, key=_version, reverse=True))
    yield from _ADMINISTRATOR_FOLDERS


def _version(folder: Path) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", folder.parent.name)]


if __name__ == "__main__":
    as_packages = sys.argv[1:] == ["--packages"]
    for one in missing():
        print(one.package if as_packages else one.left_out)
