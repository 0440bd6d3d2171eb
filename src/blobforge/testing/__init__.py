"""The test kit for backends and processors, also those of other packages: contract suites, fakes, builders, races.

A contract is a pytest class. An adapter's test is a subclass with the fixtures that the contract's docstring names.
"""

import pkgutil

import pytest

# So that a broken promise says which values differ, as in a test module of one's own.
pytest.register_assert_rewrite(*(f"{__name__}.{module.name}" for module in pkgutil.iter_modules(__path__)))
