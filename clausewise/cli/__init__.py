"""The command line: arguments, progress and exit codes only; the work is done elsewhere."""

from __future__ import annotations


def main() -> None:
    """Run the `clausewise` command and exit with the contract's code."""
    from clausewise.cli.process import run

    run()


__all__ = ["main"]
