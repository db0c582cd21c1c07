"""Pickles in a detector's folder: parts that users wrote and that have no JSON of their own."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

from clausewise.errors import DetectorError
from clausewise.models.estimator import describe_class


def write_pickle(path: Path, content: Any) -> None:
    """Pickle an object.

    Raises DetectorError where it cannot be pickled.
    """
    try:
        data = pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # whatever the object's own code raises
        raise DetectorError(
            f"{describe_class(content)} cannot be saved, because it cannot be pickled ({error}): "
            "define its class and functions at the top of a module that can be imported",
            path=path,
        ) from error
    path.write_bytes(data)


def read_pickle(path: Path) -> Any:
    """Return the object. This can run any code: the caller has verified the folder.

    Raises DetectorError where the file is missing, or its classes cannot be imported.
    """
    try:
        return pickle.loads(path.read_bytes())
    except FileNotFoundError:
        raise DetectorError("the detector lacks this file; fit it again", path=path) from None
    except Exception as error:  # whatever the object's own code raises
        raise DetectorError(
            f"this file cannot be loaded ({type(error).__name__}: {error}): install the library, "
            "or put the module on the path, that the detector was made with",
            path=path,
        ) from error
