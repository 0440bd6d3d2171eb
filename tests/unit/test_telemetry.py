"""Logging, and text made safe to show."""

import io
import json
import logging
import re
import threading
from collections.abc import Iterator

import pytest
import structlog

from blobforge.telemetry.logging import LogFormat, bound, get_logger, start_logging
from blobforge.telemetry.safe_text import is_secret_name, on_one_line, without_passwords


class FakeTerminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def root_logger_as_it_was() -> Iterator[None]:
    root, ours = logging.getLogger(), logging.getLogger("blobforge")
    handlers, levels = list(root.handlers), (root.level, ours.level)
    yield
    structlog.reset_defaults()
    root.handlers[:] = handlers
    root.setLevel(levels[0])
    ours.setLevel(levels[1])


def started(*, level: str = "INFO", log_format: LogFormat = "json", terminal: bool = False) -> io.StringIO:
    stream = FakeTerminal() if terminal else io.StringIO()
    start_logging(level=level, log_format=log_format, stream=stream)
    return stream


def entries(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_line_has_its_phrase_and_its_facts() -> None:
    """R2-12."""
    stream = started()

    get_logger("blobforge.worker").info("job claimed", processor="echo", attempt=2)

    (entry,) = entries(stream)
    assert str(entry.pop("timestamp")).endswith("Z")
    assert entry == {
        "event": "job claimed",
        "level": "info",
        "logger": "blobforge.worker",
        "processor": "echo",
        "attempt": 2,
    }


def test_what_is_bound_is_on_every_line_of_the_thread_and_on_no_other() -> None:
    stream = started()
    log = get_logger("blobforge.worker")

    with bound(job_id=7, worker_id="w"):
        log.info("inside")
        other = threading.Thread(target=log.info, args=("elsewhere",))
        other.start()
        other.join()
    log.info("outside")

    assert [(entry["event"], entry.get("job_id")) for entry in entries(stream)] == [
        ("inside", "7"),
        ("elsewhere", None),
        ("outside", None),
    ]


def test_an_id_that_is_larger_than_the_numbers_of_many_readers_is_text_in_json() -> None:
    stream = started()

    get_logger("blobforge.x").info("job claimed", job_id=179_496_788_435_808_311, attempt=1)

    assert (entries(stream)[0]["job_id"], entries(stream)[0]["attempt"]) == ("179496788435808311", 1)


@pytest.mark.parametrize("level", ["warning", "WARNING"])
def test_lines_below_the_level_are_left_out(level: str) -> None:
    """R0-66, R2-12."""
    stream = started(level=level)
    log = get_logger("blobforge.worker")

    log.info("too quiet")
    log.warning("loud enough")

    assert [entry["event"] for entry in entries(stream)] == ["loud enough"]


def test_libraries_speak_from_warning_on_in_the_same_form() -> None:
    stream = started(level="DEBUG")

    logging.getLogger("some.library").info("chatter")
    logging.getLogger("some.library").warning("pool of %s is full", "postgresql://ada:hunter2@host/db")

    (entry,) = entries(stream)
    assert entry["event"] == "pool of postgresql://ada:***@host/db is full"
    assert entry["logger"] == "some.library"


def test_secrets_are_masked_wherever_they_stand() -> None:
    stream = started()

    get_logger("blobforge.x").info(
        "opened",
        password="hunter2",
        url="postgresql://ada:hunter2@host/db",
        options={"api_key": "hunter2", "pages": [1, "s3://k:hunter2@host"]},
        places=("http://ada:hunter2@host",),
        pages=3,
    )

    assert "hunter2" not in stream.getvalue()
    assert entries(stream)[0]["pages"] == 3


def test_an_exception_is_told_with_its_place_and_without_its_password() -> None:
    stream = started()

    try:
        raise ValueError("cannot reach postgresql://ada:hunter2@host/db")
    except ValueError:
        get_logger("blobforge.x").exception("slot failed")

    (entry,) = entries(stream)
    assert "Traceback (most recent call last)" in str(entry["exception"])
    assert "hunter2" not in stream.getvalue()


def test_a_fact_that_json_does_not_know_is_still_told() -> None:
    stream = started()

    get_logger("blobforge.x").info("odd", thing=object())

    assert "object object" in str(entries(stream)[0]["thing"])


def test_auto_means_text_on_a_terminal_and_json_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    log = get_logger("blobforge.x")

    screen = started(log_format="auto", terminal=True)
    log.info("job claimed", attempt=2)
    pipe = started(log_format="auto")
    log.info("job claimed", attempt=2)

    assert re.fullmatch(r"\d\d:\d\d:\d\d job claimed \(attempt=2\)\n", screen.getvalue())
    assert entries(pipe)[0]["event"] == "job claimed"


def test_a_terminal_gets_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")

    screen = started(log_format="text", terminal=True)
    get_logger("blobforge.x").warning("job lost")

    assert "\x1b[33mwarning:\x1b[0m job lost" in screen.getvalue()


def test_a_screen_shows_a_sentence_with_the_time_of_day_and_breaks_it_between_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "60")
    screen = started(log_format="auto", terminal=True)

    get_logger("blobforge.x").warning(
        "the queue does not answer; waiting", error="connection refused by db.example.org:5432", seconds=12, token="no"
    )

    lines = screen.getvalue().splitlines()
    assert [line[9:] for line in lines] == [
        "warning: the queue does not answer; waiting:",
        "connection refused by db.example.org:5432",
        "(seconds=12, token=***)",
    ]
    assert re.fullmatch(r"\d\d:\d\d:\d\d ", lines[0][:9])
    assert {line[:9] for line in lines[1:]} == {" " * 9}


@pytest.mark.parametrize(("terminal", "told"), [(True, ["what the child said", "another"]), (False, 3)])
def test_what_a_screen_shows_otherwise_is_left_out_there_and_nowhere_else(
    terminal: bool, told: list[str] | int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    stream = FakeTerminal() if terminal else io.StringIO()
    start_logging(level="DEBUG", stream=stream, shown_otherwise={"blobforge.x"})

    get_logger("blobforge.x").info("job claimed")
    get_logger("blobforge.x").debug("what the child said")
    get_logger("blobforge.y").info("another")

    lines = stream.getvalue().splitlines()
    assert len(lines) == told if isinstance(told, int) else [line[9:] for line in lines] == told


def test_text_cannot_be_faked_by_a_fact() -> None:
    stream = started(log_format="text")

    get_logger("blobforge.x").info("job claimed", name="a\n2026-01-01 [error] all is lost", title="b\x1b[2Jc")
    logging.getLogger("some.library").warning("read\n2026-01-01 [error] all is lost")

    assert len(stream.getvalue().splitlines()) == 2
    assert "\x1b" not in stream.getvalue()


def test_an_exception_keeps_its_lines_in_text() -> None:
    stream = started(log_format="text")

    try:
        raise ValueError("no")
    except ValueError:
        get_logger("blobforge.x").exception("slot failed")

    assert "ValueError: no" in stream.getvalue().splitlines()


def test_a_second_start_replaces_the_first() -> None:
    first = started()
    second = started()

    get_logger("blobforge.x").info("once")

    assert first.getvalue() == ""
    assert len(entries(second)) == 1


def test_a_logger_that_structlog_itself_gave_speaks_in_the_same_form() -> None:
    log = structlog.get_logger("blobforge.worker.loop")
    stream = started()

    log.info("job claimed", attempt=2)

    (entry,) = entries(stream)
    assert (entry["event"], entry["logger"], entry["attempt"]) == ("job claimed", "blobforge.worker.loop", 2)


def test_nothing_reaches_stdout_before_logging_is_started(capfd: pytest.CaptureFixture[str]) -> None:
    get_logger("blobforge.x").error("too early")

    assert capfd.readouterr().out == ""


def test_logging_goes_to_stderr_by_itself(capsys: pytest.CaptureFixture[str]) -> None:
    start_logging(log_format="json")

    get_logger("blobforge.x").info("hello")

    captured = capsys.readouterr()
    assert captured.out == ""
    assert json.loads(captured.err)["event"] == "hello"


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("postgresql://ada:hunter2@host:5432/db", "postgresql://ada:***@host:5432/db"),
        ("postgresql://:hunter2@host/db", "postgresql://:***@host/db"),
        ("postgresql://ada:p@ss/word@host/db", "postgresql://***"),
        ('"http://host:8080": refused, http://host:8080, and (http://host:8080).',) * 2,
        ("postgresql://ada@host/db", "postgresql://ada@host/db"),
        ("http://host:8080/path", "http://host:8080/path"),
        ("postgresql://host/db?user=ada&password=hunter2", "postgresql://host/db?user=ada&password=***"),
        ("https://b/x?X-Amz-Signature=abc&X=1", "https://b/x?X-Amz-Signature=***&X=1"),
        ("two: a://u:p@h and b://u:p@h", "two: a://u:***@h and b://u:***@h"),
        ("sqlite:////srv/queue.db", "sqlite:////srv/queue.db"),
    ],
)
def test_passwords_in_urls_are_masked(text: str, safe: str) -> None:
    assert without_passwords(text) == safe


@pytest.mark.parametrize(
    ("name", "secret"),
    [("password", True), ("S3_SECRET_KEY", True), ("worker_token", True), ("page", False), ("key", False)],
)
def test_secret_names_are_known(name: str, secret: bool) -> None:
    assert is_secret_name(name) is secret


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("plain Žluťoučký.pdf", "plain Žluťoučký.pdf"),
        ("a\nb\tc", r"a\nb\tc"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("gpj.\u202efdp", r"gpj.\u202efdp"),
    ],
)
def test_control_characters_are_written_out(text: str, line: str) -> None:
    assert on_one_line(text) == line
