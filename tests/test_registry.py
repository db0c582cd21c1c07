from fractions import Fraction

import pytest

from clausewise.errors import RegistryError
from clausewise.registry import Registry


@pytest.fixture
def shapes() -> Registry[int]:
    registry = Registry[int]("shape")
    registry.add("square", 4)
    registry.add("triangle", 3)
    return registry


def test_order_of_registration_is_kept(shapes: Registry[int]) -> None:
    assert list(shapes.items()) == [("square", 4), ("triangle", 3)]


def test_a_second_object_under_one_name_is_refused(shapes: Registry[int]) -> None:
    with pytest.raises(RegistryError, match="shape 'square' is registered twice"):
        shapes.add("square", 5)
    assert shapes["square"] == 4


def test_an_unknown_name_suggests_the_nearest(shapes: Registry[int]) -> None:
    with pytest.raises(RegistryError, match="unknown shape 'sqare'; did you mean 'square'"):
        shapes["sqare"]


def test_an_unknown_name_without_neighbors_lists_all(shapes: Registry[int]) -> None:
    with pytest.raises(RegistryError, match="known: square, triangle"):
        shapes["hexadecagon"]


def test_get_with_a_default_does_not_raise(shapes: Registry[int]) -> None:
    assert "circle" not in shapes
    assert "square" in shapes


def test_an_object_of_a_module_is_imported_when_it_is_asked_for() -> None:
    registry: Registry[object] = Registry("number")
    registry.add_from("fraction", "fractions", "Fraction")
    registry.add_from("nothing", "a_module_that_is_not_there", "x")
    assert list(registry) == ["fraction", "nothing"]
    assert registry["fraction"] is registry["fraction"] is Fraction
    with pytest.raises(RegistryError, match="registered twice"):
        registry.add("nothing", 1)
    with pytest.raises(ModuleNotFoundError):
        registry["nothing"]
