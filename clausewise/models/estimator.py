"""scikit-learn's protocol for estimators, without importing scikit-learn.

`import sklearn.base` takes longer than a whole `clausewise check` (1.5 to 2 s against 0.9 s on two
cores), and a packaged detector needs nothing of it. So the protocol is implemented here:
`get_params`, `set_params`, `repr`, `clone`, `check_is_fitted` and tags. Tests run it against
scikit-learn's own functions.
"""

from __future__ import annotations

import copy
import difflib
import inspect
import reprlib
from functools import cache
from typing import Any, ClassVar, Self

from clausewise.errors import InputError, NotFittedError


class Parameters:
    """Base of what is configured by its constructor alone: parameters by name, copies, `repr`.

    The constructor of a subclass stores every parameter under its own name and does nothing else.

    Attributes
    ----------
    SHARED
        Parameters that a clone shares with the original instead of copying them.
    """

    SHARED: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        """Return every parameter of the constructor with its default."""
        parameters = list(inspect.signature(cls.__init__).parameters.values())[1:]
        variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        return {one.name: one.default for one in parameters if one.kind not in variable}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; with `deep` those of nested estimators, `a__b`, too."""
        params = {name: getattr(self, name) for name in self._defaults()}
        if deep:
            for name, value in list(params.items()):
                if hasattr(value, "get_params") and not isinstance(value, type):
                    nested = value.get_params(deep=True).items()
                    params.update({f"{name}__{key}": item for key, item in nested})
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, those of nested estimators as `a__b`.

        Raises InputError for a name that is none.
        """
        known = self._defaults()
        nested: dict[str, dict[str, Any]] = {}
        for key, value in params.items():
            name, _, rest = key.partition("__")
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1)
                hint = f"; did you mean '{near[0]}'?" if near else f"; known: {', '.join(known)}"
                raise InputError(f"{type(self).__name__} has no parameter '{name}'{hint}")
            if rest:
                nested.setdefault(name, {})[rest] = value
            else:
                setattr(self, name, value)
        for name, of_nested in nested.items():
            if not hasattr(getattr(self, name), "set_params"):
                raise InputError(f"the parameter '{name}' has no parameters of its own")
            getattr(self, name).set_params(**of_nested)
        return self

    def __sklearn_clone__(self) -> Self:
        params = self.get_params(deep=False)
        return type(self)(
            **{
                name: value if name in self.SHARED else unfitted_copy(value)
                for name, value in params.items()
            }
        )

    def __repr__(self) -> str:
        """Return the call that makes it, without the parameters that have their defaults."""
        short = reprlib.Repr()
        short.maxstring = short.maxother = 200
        short.maxtuple = short.maxlist = 2
        shown = [
            f"{name}={short.repr(getattr(self, name))}"
            for name, default in self._defaults().items()
            if getattr(self, name) is not default and getattr(self, name) != default
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


def unfitted_copy(component: Any) -> Any:
    """Return a copy with the same parameters and, for an estimator, nothing learned."""
    if not hasattr(component, "get_params"):
        return copy.deepcopy(component)
    if isinstance(component, Parameters):
        return component.__sklearn_clone__()
    from sklearn.base import clone

    return clone(component)


def not_fitted(message: str) -> NotFittedError:
    """Return a NotFittedError that is one of scikit-learn's, too."""
    return _not_fitted_class()(message)


@cache
def _not_fitted_class() -> type[NotFittedError]:
    """Make the class when it is raised: scikit-learn is slow to import."""
    from sklearn.exceptions import NotFittedError as SklearnNotFittedError

    class NotFitted(NotFittedError, SklearnNotFittedError):  # type: ignore[misc]
        """A model or detector is used before `fit`."""

        def __reduce__(self) -> tuple[object, ...]:
            return (not_fitted, (str(self),))

    NotFitted.__name__ = NotFitted.__qualname__ = "NotFittedError"
    return NotFitted


def describe_class(instance: object) -> str:
    """Return the full name of an instance's class.

    >>> describe_class(Parameters())
    'clausewise.models.estimator.Parameters'
    """
    kind = type(instance)
    return f"{kind.__module__}.{kind.__qualname__}"


def classifier_tags() -> Any:
    """Return scikit-learn's tags of a classifier of two classes that needs no labels."""
    from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

    return Tags(
        estimator_type="classifier",
        target_tags=TargetTags(required=False),
        classifier_tags=ClassifierTags(multi_class=False),
        input_tags=InputTags(two_d_array=False, string=True, dict=True),
    )
