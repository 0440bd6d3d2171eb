"""What is generated is up to date."""

import pytest
from docs.generate_reference import FOLDER, PAGES


@pytest.mark.parametrize("name", PAGES)
def test_the_reference_is_up_to_date(name: str) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == PAGES[name](), "run: python -m docs.generate_reference"
