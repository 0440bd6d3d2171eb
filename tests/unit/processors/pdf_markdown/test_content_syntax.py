"""Content that a reader would skip in silence is told from content that it understands."""

import random

import pytest
from tests.unit.processors import damaged_pdfs as damaged

from blobforge.processors.pdf_markdown.content_syntax import drawn_in, is_content

TEXT = damaged.text_of_lines("page")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        TEXT,
        b"q 1 0 0 1 72.5 -.5 cm /Im1 Do Q\n/GS0 gs 0.1 0.2 .3 rg 10 20 30 40 re f*\n% a remark: anything \xff",
        b"BT [(A)-12.5(B \\) \\( \xe9\x00)]TJ <48 65\n6c> Tj (pairs (of (brackets))) ' 1 2 (x) \" T* ET",
        b"/Span <</ActualText <FEFF00480065>/Lang (de-AT)>> BDC /P <</MCID 0>>BDC EMC EMC [] 0 d [3 2] 1 d",
        b"BI /W 2 /H 2 /CS /G /BPC 8 ID \x00(\xff) EI Q BI /W 1 ID abc\nEI",
        b"1 0 0 rg0 g BX 5 anything EX",
        b"500 0 0 0 500 700 d1 0 0 m 10 10 l S",
    ],
)
def test_content_of_all_kinds_is_understood(content: bytes) -> None:
    assert is_content(content)


@pytest.mark.parametrize("seed", range(40))
def test_noise_in_the_middle_is_noticed(seed: int) -> None:
    """Where it begins or ends within a string, it is among the letters that are shown."""
    chance = random.Random(seed)
    place = TEXT.index(b"T*", chance.randrange(len(TEXT) - 200))

    assert not is_content(TEXT[:place] + chance.randbytes(50) + TEXT[place + 50 :])


@pytest.mark.parametrize(
    "noise", [b"(never closed", b") Tj", b"Tj Tjj", b"q0xdead", b"BI /W 2 ID \x00\x01", b"{", b"BT\x85"]
)
def test_what_is_no_operator_and_what_does_not_end_is_noticed(noise: bytes) -> None:
    assert not is_content(b"BT (a) Tj " + noise)


def test_a_hole_full_of_zeros_is_noticed_unless_it_is_of_a_picture() -> None:
    middle = len(TEXT) // 2

    assert not is_content(TEXT[:middle] + bytes(512) + TEXT[middle + 512 :])
    assert is_content(TEXT + b" BI /W 16 /H 16 /CS /G /BPC 8 ID " + bytes(256) + b" EI")


def test_names_are_of_what_is_drawn_and_not_of_what_is_told() -> None:
    content = b"/Im0 Do (write /Told Do here) Tj /In#6eer  Do % /Remark Do\n/Gs gs"

    assert drawn_in(content) == {"/Im0", "/Inner"}


@pytest.mark.parametrize("hostile", [b"(", b"(\\", b"((a)", b"[(", b"ID ", b"BI ID ", b"<", b"/", b"[[", b"(a"])
def test_a_long_stream_of_nonsense_is_judged_at_once(hostile: bytes) -> None:
    is_content(hostile * (2_000_000 // len(hostile)))
    drawn_in(hostile * (2_000_000 // len(hostile)) + b" Do")
