"""Instances: small, made-up contents of a database's tables, and a place to run queries on them."""

from clausewise.databases.instances.memory import MemoryInstances
from clausewise.databases.instances.model import Instance, InstanceTable

__all__ = ["Instance", "InstanceTable", "MemoryInstances"]
