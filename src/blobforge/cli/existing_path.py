"""Paths that people name and that must be there."""

import os
from pathlib import Path

import click


class ExistingPath(click.Path):
    """Where this user may not look, that is said, and not that nothing is there."""

    def __init__(self) -> None:
        super().__init__(exists=True, path_type=Path)

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        try:
            Path(value).stat()
        except PermissionError:
            self.fail(f"{os.fspath(value)!r} cannot be looked at: permission denied.", param, ctx)
        except (OSError, ValueError):
            pass  # told by click
        return super().convert(value, param, ctx)
