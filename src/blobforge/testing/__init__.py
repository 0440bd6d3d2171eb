"""The test kit for backends and processors, also those of other packages: contract suites, a clock, builders.

A contract is a pytest class. An adapter's test is a subclass with the fixtures that the contract's docstring names.
"""
