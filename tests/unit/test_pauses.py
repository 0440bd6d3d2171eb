import gc

import pytest

from blobforge.pauses import collected, uncollected


def test_nothing_is_collected_while_a_page_is_read() -> None:
    with uncollected():
        assert not gc.isenabled()

    assert gc.isenabled()


def test_a_page_that_cannot_be_read_ends_the_pause_as_well() -> None:
    with pytest.raises(RuntimeError), uncollected():
        raise RuntimeError

    assert gc.isenabled()


def test_who_never_collects_is_left_alone() -> None:
    gc.disable()
    try:
        with uncollected():
            pass

        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_takes_long_within_a_pause_is_collected_as_usual() -> None:
    with uncollected():
        with collected():
            assert gc.isenabled()

        assert not gc.isenabled()

    with collected():
        assert gc.isenabled()
    assert gc.isenabled()
