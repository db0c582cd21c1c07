"""Where clausewise keeps what it has computed or been given once."""

from __future__ import annotations

import os
from pathlib import Path

CACHE_VARIABLE = "CLAUSEWISE_CACHE_DIR"
"""Environment variable that names the cache folder; an argument goes before it."""


def cache_folder(cache_dir: str | Path | None = None) -> Path:
    """Return the folder for cache files: the argument, `CLAUSEWISE_CACHE_DIR`, or the user's."""
    chosen = cache_dir or os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).expanduser().absolute()
    import platformdirs

    return platformdirs.user_cache_path("clausewise")
