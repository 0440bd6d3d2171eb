"""What a child tells of an error."""

from blobforge.worker.child_main import LONGEST_DETAILS, _describe


def raised(message: str) -> Exception:
    try:
        raise ValueError(message)
    except ValueError as error:
        return error


def test_a_long_traceback_loses_whole_lines_from_its_beginning() -> None:
    lines = "\n".join(f"line {number} of what was said" for number in range(400))

    details = _describe(raised(lines)).details

    first, second, *_, last = details.splitlines()
    assert first == "…"
    assert second in lines.splitlines()
    assert last == "line 399 of what was said"
    assert len(details) <= LONGEST_DETAILS


def test_a_short_traceback_is_told_whole() -> None:
    assert _describe(raised("no")).details.startswith("Traceback (most recent call last):\n")


def test_one_line_that_is_too_long_keeps_its_end() -> None:
    assert _describe(raised("x" * 9_000 + "end")).details.endswith("xend\n")
