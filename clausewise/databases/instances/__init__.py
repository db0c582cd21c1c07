"""Instances: small, made-up contents of a database's tables, and a place to run queries on them."""

from clausewise.databases.instances.constraints import Constraints, constraints_of
from clausewise.databases.instances.duckdb_engine import DuckDBInstances
from clausewise.databases.instances.memory import INSTANCE_LIMITS, MemoryInstances
from clausewise.databases.instances.model import Instance, InstanceTable

__all__ = [
    "INSTANCE_LIMITS",
    "Constraints",
    "DuckDBInstances",
    "Instance",
    "InstanceTable",
    "MemoryInstances",
    "constraints_of",
]
