"""What is generated is up to date."""

from docs.generate_reference import TARGET, render


def test_the_reference_of_settings_is_up_to_date() -> None:
    assert TARGET.read_text(encoding="utf-8") == render(), "run: python docs/generate_reference.py"
