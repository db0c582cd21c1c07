"""Opening a backend of joblib, and the cluster behind it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, TypeAlias

from clausewise.errors import InputError, MissingExtraError

RunCalls: TypeAlias = Callable[[Iterator[Any]], Any]
"""Does joblib's delayed calls; returns a generator of their results in any order."""

OF_CLUSTERS = frozenset({"dask", "ray"})
"""Backends that a scheduler's address belongs to."""
CONNECT_SECONDS = 30.0


@contextmanager
def opened_backend(name: str, scheduler: str | None, jobs: int | None) -> Iterator[RunCalls]:
    """Yield what does calls on a backend; a cluster that is started here is ended.

    Raises InputError and MissingExtraError as `run_on_backend` does.
    """
    import joblib

    if scheduler is not None and name not in OF_CLUSTERS:
        listed = " and ".join(sorted(OF_CLUSTERS))
        raise InputError(f"belongs to the backends {listed}, not to '{name}'", field="--scheduler")
    if name == "dask":
        with _dask(scheduler, jobs) as settings:
            yield _calls(settings, -1)
        return
    if name == "ray":
        _start_ray(scheduler, jobs)
    try:
        joblib.parallel_config(name).unregister()
    except (ValueError, KeyError, ImportError) as error:
        raise InputError(f"joblib has no backend '{name}': {error}", field="--backend") from None
    yield _calls({"backend": name}, jobs or -1)


def _calls(settings: dict[str, Any], jobs: int) -> RunCalls:
    import joblib

    def run(calls: Iterator[Any]) -> Any:
        with joblib.parallel_config(n_jobs=jobs, **settings):
            parallel = joblib.Parallel(return_as="generator_unordered", batch_size=1)
            return parallel(calls)

    return run


@contextmanager
def _dask(scheduler: str | None, jobs: int | None) -> Iterator[dict[str, Any]]:
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtraError("--backend dask", "scale") from None
    import joblib

    # Importing it sets it to tell every step of the cluster.
    logging.getLogger("distributed").setLevel(logging.WARNING)
    joblib.register_parallel_backend("clausewise-dask", _dask_backend())
    how: dict[str, Any] = {"address": scheduler, "timeout": CONNECT_SECONDS}
    if scheduler is None:
        how = {"n_workers": jobs, "threads_per_worker": 1, "dashboard_address": None}
    try:
        client: Any = Client(set_as_default=False, **how)  # type: ignore[no-untyped-call]
    except (TimeoutError, OSError, ValueError) as error:
        message = f"no scheduler of Dask answers there: {error}"
        raise InputError(message, field="--scheduler") from None
    with client:
        yield {"backend": "clausewise-dask", "client": client}


def _dask_backend() -> type:
    """Return joblib's backend for Dask, which says nothing of a task that Dask has given up."""
    from joblib._dask import DaskDistributedBackend

    class ReportingDask(DaskDistributedBackend):  # type: ignore[misc]
        def submit(self, func: Any, callback: Any = None) -> Any:
            future = super().submit(func, callback)

            def report(done: Future[Any]) -> None:
                error = done.exception()
                if error is not None and callback is not None:
                    callback(_Lost(error))

            future.add_done_callback(report)
            return future

        def retrieve_result_callback(self, out: Any) -> Any:
            if isinstance(out, _Lost):
                raise out.error
            return super().retrieve_result_callback(out)

    return ReportingDask


class _Lost:
    """What stands for the result of a task that a cluster has given up."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


def _start_ray(scheduler: str | None, jobs: int | None) -> None:
    try:
        import ray
        from ray.util.joblib import register_ray
    except ImportError:
        raise MissingExtraError("--backend ray", "ray") from None
    register_ray()
    if not ray.is_initialized():
        ray.init(address=scheduler, num_cpus=None if scheduler else jobs)
