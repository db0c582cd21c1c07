"""Work that its parent can end: processes with hard limits on time and memory.

Knows nothing of cases: a job is done for each task, and every task comes back, as `Done` with its
result or as `Broken` with the reason. See `docs/concepts/security.md` for what that protects from.
"""

from clausewise.workers.backend import Backend
from clausewise.workers.isolation import IN_PROCESS, Isolation
from clausewise.workers.pool import WorkerPool
from clausewise.workers.starting import can_isolate
from clausewise.workers.worker import Broken, Done

__all__ = ["IN_PROCESS", "Backend", "Broken", "Done", "Isolation", "WorkerPool", "can_isolate"]
