"""Writes docs/reference from the code: run `python -m docs.generate_reference` after a change."""

from collections.abc import Callable
from pathlib import Path

from docs import (
    command_reference,
    configuration_reference,
    error_reference,
    http_examples,
    http_reference,
    requirements_table,
)

FOLDER = Path(__file__).parent / "reference"
PAGES: dict[str, Callable[[], str]] = {
    "commands.md": command_reference.render,
    "configuration.md": configuration_reference.render,
    "errors.md": error_reference.render,
    # First, because the document has them.
    "../../src/blobforge/server/examples.json": http_examples.render,
    "openapi.json": http_reference.render_openapi,
    "http.md": http_reference.render,
    "../requirements.md": requirements_table.render,
}


def main() -> None:
    for name, render in PAGES.items():
        (FOLDER / name).write_text(render(), encoding="utf-8")


if __name__ == "__main__":
    main()
