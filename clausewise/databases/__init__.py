"""Databases: opened read-only, and everything that clausewise knows of them.

The only package that imports a database driver. Statements of a prediction are run behind an
authorizer and under limits; schema, keys, profiles and the value index are worked out once for
each content of a file and kept in the user's cache folder.
"""

from clausewise.databases.base import BaseDatabase
from clausewise.databases.folder import Databases
from clausewise.databases.indexing import IndexReport, index
from clausewise.databases.joins import minimum_join_tree
from clausewise.databases.model import (
    Cell,
    Column,
    ColumnProfile,
    ForeignKey,
    Limits,
    QueryResult,
    Schema,
    Table,
    ValuePlace,
)
from clausewise.databases.opening import open_database
from clausewise.databases.protocol import DatabaseProtocol
from clausewise.databases.schema_only.database import SchemaDatabase
from clausewise.databases.schema_only.files import read_schema_file, write_schema_file
from clausewise.databases.sqlite.creation import create_database
from clausewise.databases.sqlite.database import Database
from clausewise.databases.values import fold_value

__all__ = [
    "BaseDatabase",
    "Cell",
    "Column",
    "ColumnProfile",
    "Database",
    "DatabaseProtocol",
    "Databases",
    "ForeignKey",
    "IndexReport",
    "Limits",
    "QueryResult",
    "Schema",
    "SchemaDatabase",
    "Table",
    "ValuePlace",
    "create_database",
    "fold_value",
    "index",
    "minimum_join_tree",
    "open_database",
    "read_schema_file",
    "write_schema_file",
]
