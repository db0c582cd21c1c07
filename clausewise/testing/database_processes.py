"""Checks of a database in several threads and processes, closed and opened again."""

from __future__ import annotations

import os
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor

from clausewise.databases import DatabaseProtocol
from clausewise.testing.database_contents import CONTRACT_TABLES, contract_table
from clausewise.testing.database_support import OpenDatabase, contents, opened

_THREADS = 4
_ROUNDS = 5


def check_closing(open_database: OpenDatabase) -> None:
    """A closed database opens again when it is used."""
    database = open_database()
    for _ in range(2):
        assert database.scalar("SELECT count(*) FROM book") == 4
        assert database.profile("book", "id").rows == 4
        assert database.find_value("notes")
        database.close()
    database.close()


def check_same_again(open_database: OpenDatabase) -> None:
    """Two objects for the same database say the same of it."""
    with opened(open_database) as one, opened(open_database) as other:
        assert one.content_key == other.content_key == one.content_key
        assert one.schema == other.schema
        assert contents(one) == contents(other)
        for table in CONTRACT_TABLES:
            for column in table.columns:
                place = (table.name, column.name)
                assert one.profile(*place) == other.profile(*place), place
                assert one.is_indexed(*place) == other.is_indexed(*place), place


def check_pickling(open_database: OpenDatabase) -> None:
    """Where it says that it `reopens`, an unpickled copy is the same database."""
    with opened(open_database) as database:
        if not getattr(database, "reopens", False):
            return
        count = database.scalar("SELECT count(*) FROM book")
        copy = pickle.loads(pickle.dumps(database))
        try:
            assert copy.scalar("SELECT count(*) FROM book") == count
            assert (copy.name, copy.content_key) == (database.name, database.content_key)
            assert copy.schema == database.schema
        finally:
            copy.close()


def check_threads(open_database: OpenDatabase) -> None:
    """Several threads may ask at once; each gets its own answer."""
    numbers = contract_table("many").values("n")
    with opened(open_database) as database:

        def ask(thread: int) -> None:
            for number in numbers[thread::_THREADS][:_ROUNDS]:
                assert database.scalar(f"SELECT n FROM many WHERE n = {number!r}") == number
                assert database.profile("book", "id").rows == 4
                assert database.find_value("compilers")[0].value == "Compilers"

        with ThreadPoolExecutor(_THREADS) as pool:
            for done in [pool.submit(ask, thread) for thread in range(_THREADS)]:
                done.result()


def check_fork(open_database: OpenDatabase) -> None:
    """A forked process may use what its parent opened, and the parent goes on."""
    if not hasattr(os, "fork"):
        return
    with opened(open_database) as database:
        assert _counts(database)
        with warnings.catch_warnings():
            # Python warns of threads that a fork leaves behind; none of them is needed.
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            code = 1
            try:
                code = 0 if _counts(database) else 1
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0, "it fails in a forked process"
        assert _counts(database)
        assert database.scalar("SELECT max(id) FROM author") == 4


def _counts(database: DatabaseProtocol) -> bool:
    """Whether a statement gives the right answer, which may not be one that is remembered."""
    name = f"{os.getpid()}"
    return database.scalar(f"SELECT count(*) FROM book WHERE title <> '{name}'") == 4


PROCESS_CHECKS = (check_closing, check_same_again, check_pickling, check_threads, check_fork)
