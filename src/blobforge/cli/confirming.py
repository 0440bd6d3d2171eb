"""Asking a person before something is deleted; a program says --yes."""

import sys

import click

from blobforge.cli import output

HINT = "; say --yes to delete it"


def can_ask() -> bool:
    return output.is_terminal(sys.stdin) and output.is_terminal(sys.stderr)


def agrees(question: str) -> bool:
    """Nobody who cannot be asked agrees."""
    return can_ask() and click.confirm(question, err=True)
