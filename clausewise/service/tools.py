"""The service's work as tools for agents, by the Model Context Protocol."""

from __future__ import annotations

from clausewise.service.configuration import ServiceConfig


def serve_agent(config: ServiceConfig) -> None:
    """Serve one agent over standard input and output until it closes them."""
    raise NotImplementedError
