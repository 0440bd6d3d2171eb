import gc

import pytest

from blobforge.gc_pause import gc_paused, gc_resumed


def test_nothing_is_collected_while_a_page_is_read() -> None:
    with gc_paused():
        assert not gc.isenabled()

    assert gc.isenabled()


def test_a_page_that_cannot_be_read_ends_the_pause_as_well() -> None:
    with pytest.raises(RuntimeError), gc_paused():
        raise RuntimeError

    assert gc.isenabled()


def test_who_never_collects_is_left_alone() -> None:
    gc.disable()
    try:
        with gc_paused():
            pass

        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_takes_long_within_a_pause_is_collected_as_usual() -> None:
    with gc_paused():
        with gc_resumed():
            assert gc.isenabled()

        assert not gc.isenabled()

    with gc_resumed():
        assert gc.isenabled()
    assert gc.isenabled()
