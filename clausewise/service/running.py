"""The server process, or several of them that share an address."""

from __future__ import annotations

import os
import signal
import socket
import tempfile
from collections.abc import Callable
from typing import TYPE_CHECKING

from clausewise.errors import InputError, MissingExtraError
from clausewise.service.configuration import ServiceConfig
from clausewise.service.logs import set_up_logs

if TYPE_CHECKING:
    import uvicorn

    from clausewise.service.gate import Application

CONFIG_VARIABLE = "CLAUSEWISE_SERVICE"
"""How a server process is told the configuration; only this user can read it."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")
FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"


def require_extra() -> None:
    """Raise MissingExtraError where the extra `serve` is not installed."""
    try:
        import uvicorn  # noqa: F401

        from clausewise.service import app, tools  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingExtraError("the service", "serve") from error


def serve(
    config: ServiceConfig, host: str, port: int, workers: int, announce: Callable[[str], None]
) -> None:
    """Serve until the process is asked to end, then let requests in flight end.

    Parameters
    ----------
    config
        What to serve.
    host, port
        Where to listen; port 0 for any that is free.
    workers
        Server processes.
    announce
        Called with the address as soon as it is known.

    Raises
    ------
    InputError
        Where the address cannot be listened to, or the configuration cannot be used.
    """
    import uvicorn

    _end_quietly()
    set_up_logs()
    if host in LOOPBACK:
        config = config.model_copy(update={"hosts": (*config.hosts, *LOOPBACK)})
    _ = config.targets(), config.token()  # what the environment lacks is said once, and here
    if workers == 1:
        from clausewise.service.app import create_app

        # Before the socket is open: the copies of this process must not hold it.
        settings = _settings(create_app(config), config, host)
        with _listening(host, port) as place:
            announce(_address(place))
            uvicorn.Server(settings).run([place])
        return
    from uvicorn.supervisors import Multiprocess

    with tempfile.TemporaryDirectory(prefix="clausewise-") as numbers:
        os.environ[CONFIG_VARIABLE] = config.model_dump_json()
        os.environ[FOLDER_VARIABLE] = numbers
        settings = _settings("clausewise.service.running:app", config, host, workers)
        with _listening(host, port) as place:
            announce(_address(place))
            Multiprocess(settings, [place]).run()


def app() -> Application:
    """Return the application of one of several server processes."""
    from clausewise.service.app import create_app

    set_up_logs()
    return create_app(ServiceConfig.model_validate_json(os.environ[CONFIG_VARIABLE]))


def _settings(
    application: Application | str, config: ServiceConfig, host: str, workers: int = 1
) -> uvicorn.Config:
    import uvicorn

    return uvicorn.Config(
        application,
        host=host,
        workers=workers,
        factory=isinstance(application, str),
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=config.limits.shutdown_seconds,
    )


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot listen to {host} port {port}: {reason}", field="--port") from None


def _address(place: socket.socket) -> str:
    host, port = place.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _end_quietly() -> None:
    """Let a signal that the server has heard end nothing more: it raises it again at its end."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: None)
