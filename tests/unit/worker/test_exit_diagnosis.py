"""What a signal, an exit code and last words mean."""

import signal

import pytest

from blobforge.domain.errors import (
    ChildError,
    ChildExited,
    ChildKilled,
    CpuLimit,
    EngineUnavailable,
    MemoryLimit,
    OutputLimit,
)
from blobforge.worker.exit_diagnosis import EXIT_OUT_OF_MEMORY, MEMORY_SETTING, diagnose_exit, is_import_without_memory


@pytest.mark.parametrize(
    ("code", "words", "error", "message"),
    [
        (-signal.SIGSEGV, b"", ChildKilled, "the child was ended by SIGSEGV"),
        (-signal.SIGKILL, b"", ChildKilled, "the child was ended by SIGKILL; the system may have run out of memory"),
        (-63, b"", ChildKilled, "the child was ended by signal 63"),
        (-signal.SIGXCPU, b"", CpuLimit, "the child used more processor time than it may"),
        (-signal.SIGXFSZ, b"", OutputLimit, "a file grew beyond the size that a child may write"),
        (EXIT_OUT_OF_MEMORY, b"", MemoryLimit, f"the child needed more memory than {MEMORY_SETTING} allows"),
        (0, b"", ChildExited, "the child ended by itself with exit code 0"),
        (1, b"Traceback\nKeyError: 7\n\n", ChildExited, "exit code 1 (its last words: KeyError: 7)"),
        (-signal.SIGABRT, b"std::bad_alloc", MemoryLimit, "(its last words: std::bad_alloc)"),
        (1, b"\xff\xfe", ChildExited, "(its last words: \ufffd\ufffd)"),
    ],
)
def test_each_end_has_its_error_and_its_words(code: int, words: bytes, error: type[ChildError], message: str) -> None:
    cause = diagnose_exit(code, words)

    assert type(cause) is error
    assert message in str(cause)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (127, b"cannot allocate memory for thread-local data: ABORT\n"),
        (127, b"libx.so: failed to map segment from shared object: Cannot allocate memory\n"),
        (1, b"numpy._core._exceptions._ArrayMemoryError: Unable to allocate 7.45 GiB for an array\n"),
        (1, b"OSError: [Errno 12] ENOMEM\n"),
        (-signal.SIGABRT, b"memory allocation of 8589934592 bytes failed\n"),
        (-signal.SIGABRT, b"terminate called after throwing an instance of 'std::bad_alloc'\n"),
        (-signal.SIGTRAP, b"FATAL: Out of memory (size 1234)\n"),
        (1, b"insufficient memory (case 4)\n"),
        (2, b"xrealloc: memory exhausted\n"),
    ],
)
def test_who_says_that_memory_could_not_be_had_died_of_that(code: int, words: bytes) -> None:
    assert type(diagnose_exit(code, words)) is MemoryLimit


def test_only_a_part_of_a_long_last_line_is_told() -> None:
    assert len(str(diagnose_exit(1, b"x" * 8000))) < 300


@pytest.mark.parametrize("code", [-signal.SIGABRT, 127])
def test_who_gives_up_without_a_word_while_holding_much_memory_was_refused_more(code: int) -> None:
    cause = diagnose_exit(code, b"", memory_share=0.3)

    assert type(cause) is MemoryLimit
    assert f"need more than {MEMORY_SETTING} allows" in str(cause)


def test_a_program_that_was_not_found_is_not_blamed_on_memory() -> None:
    assert type(diagnose_exit(127, b"", memory_share=0.1)) is ChildExited


@pytest.mark.parametrize(
    ("code", "words", "share"),
    [
        (-signal.SIGABRT, b"", 0.1),
        (-signal.SIGABRT, b"free(): invalid pointer\n", 0.9),
        (-signal.SIGSEGV, b"", 0.9),
        (-signal.SIGKILL, b"", 0.9),
    ],
    ids=["little memory", "another reason", "a crash", "a kill"],
)
def test_other_ends_are_not_blamed_on_memory(code: int, words: bytes, share: float) -> None:
    assert type(diagnose_exit(code, words, memory_share=share)) is ChildKilled


def _import_failure(words: str) -> EngineUnavailable:
    error = EngineUnavailable("it is not installed here")
    error.__cause__ = ImportError(words)
    return error


@pytest.mark.parametrize(
    "words",
    [
        "libqpdf.so.30: failed to map segment from shared object",
        "pdf_oxide.abi3.so: cannot allocate memory in static TLS block",
    ],
)
def test_a_library_that_does_not_fit_into_memory_is_not_missing(words: str) -> None:
    assert is_import_without_memory(ImportError(words))
    assert is_import_without_memory(_import_failure(words))


@pytest.mark.parametrize(
    "words",
    ["No module named 'pdf_oxide'", "a.so: failed to map segment from shared object: Operation not permitted"],
)
def test_a_library_that_is_not_there_or_may_not_be_loaded_is_missing(words: str) -> None:
    assert not is_import_without_memory(_import_failure(words))
