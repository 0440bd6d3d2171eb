"""The program `blobforge`: its commands, its global options, and how every call ends."""

import os
import select
import sys
import traceback
from collections.abc import Sequence
from typing import Any, NoReturn, TextIO

import click
from click.shell_completion import shell_complete

from blobforge.cli import exit_codes, output
from blobforge.cli.context import Call
from blobforge.cli.failures import report
from blobforge.cli.groups import LazyGroup, log_level_option
from blobforge.telemetry.plain_lines import speak_plainly
from blobforge.version import __version__

PROGRAM = "blobforge"
COMPLETION_VARIABLE = "_BLOBFORGE_COMPLETE"

SECTIONS = {
    "Convert": {
        "convert": "Convert PDFs and folders of PDFs to Markdown",
    },
    "The queue and its workers": {
        "ingest": "Bring libraries of PDFs into the queue",
        "submit": "Put documents into the queue",
        "worker": "Run a worker on the queue",
        "lab-worker": "Read the lab reports that another application queues",
        "status": "How one document or the whole queue is doing",
        "dashboard": "Show the queue, its workers and what they do",
        "watch": "Show the dashboard and keep it up to date",
        "workers": "List the workers, or manage their accounts",
        "pause": "Keep workers from claiming jobs of a type",
        "resume": "Give workers jobs of a type again",
    },
    "Jobs": {
        "list": "List jobs",
        "search-queue": "Find jobs by words of their path and tags",
        "why": "Say why a job does not run, and what changes it",
        "logs": "Show what went wrong with a job, attempt by attempt",
        "reprioritize": "Give a waiting job another priority",
        "retry": "Run a job again",
        "retry-all": "Run all jobs again that failed or have gaps",
        "reprocess": "Process documents again, by another engine or other options",
        "cancel": "Cancel jobs, or give them back to the queue",
        "clear-dead": "Remove dead jobs for good, or back to their result",
    },
    "The library and its results": {
        "search": "Find documents of the library by words in their paths and tags",
        "lookup": "Show what is known of a document, by its hash or its path",
        "manifest": "What the library holds as a whole",
        "download": "Fetch the result of a job as a zip file",
        "preview": "Show the Markdown of a job in the terminal",
        "hydrate": "Write finished results beside their sources",
        "plan": "Say what another engine or other options would redo",
        "gc": "Clear away what nobody needs any more in the store",
    },
    "Operate": {
        "server": "Serve the queue over HTTP, to a team and its workers",
        "janitor": "Free what lost workers hold, and repair the queue",
        "doctor": "Check tools, stores and clocks",
        "processors": "List processors and whether their engines are there",
        "token": "Make, list and revoke tokens for people and programs",
        "config": "Show and check the settings",
        "completion": "Print a script that completes commands in your shell",
        "version": "Show the versions of BlobForge and its engines",
        "help": "Show the help of the program, or of a command",
    },
}
"""The commands as people look for them, each with its line in the help."""
COMMANDS = {name: summary for section in SECTIONS.values() for name, summary in section.items()}


class Program(LazyGroup):
    def main(self, args: Sequence[str] | None = None, *_: Any, **__: Any) -> NoReturn:
        """click's own `main` ends calls in its own ways; ours ends them all in one."""
        sys.exit(run(list(sys.argv[1:] if args is None else args)))


cli = Program(
    package="blobforge.cli.commands",
    sections=SECTIONS,
    name=PROGRAM,
    help="Turns libraries of PDFs into Markdown.",
    epilog="Settings come from flags, BLOBFORGE_... variables and blobforge.toml: see 'blobforge config show'.",
    params=[
        log_level_option(),
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=lambda ctx, _option, value: _print_version(ctx) if value else None,
            help="Show the version and exit.",
        ),
    ],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def main() -> NoReturn:
    cli.main()


def run(args: list[str]) -> int:
    """One call, from its arguments to its exit code. A reader that went away (`| head`) ends it quietly."""
    try:
        code = _answered(args)
        _flush()
    except BrokenPipeError:
        _drop_output()
        return exit_codes.BROKEN_PIPE
    except OSError as error:
        _drop_output()
        output.complain(f"cannot write to stdout: {error.strerror}")
        return exit_codes.ERROR
    return code


def _answered(args: list[str]) -> int:
    call = Call()
    speak_plainly()
    try:
        return _invoke(args, call)
    except (Exception, KeyboardInterrupt) as error:
        if isinstance(error, OSError) and _is_of_stdout(error):
            raise  # any other is the command's own, and told like any error
        return report(error, as_json=_asks_for_json(args), log_level=call.log_level)


def _invoke(args: list[str], call: Call) -> int:
    if instruction := os.environ.get(COMPLETION_VARIABLE):
        return shell_complete(cli, {}, PROGRAM, COMPLETION_VARIABLE, instruction)
    with cli.make_context(PROGRAM, args, obj=call) as context:
        result = cli.invoke(context)
    return result if isinstance(result, int) else exit_codes.OK


def _asks_for_json(args: list[str]) -> bool:
    # Looked for by hand, since a call may fail before its options are read.
    return "--json" in (args[: args.index("--")] if "--" in args else args)


def _print_version(ctx: click.Context) -> None:
    click.echo(f"{PROGRAM} {__version__}")
    ctx.exit()


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()


def _is_of_stdout(error: OSError) -> bool:
    """An error of writing names no file; whoever wrote, click or rich, has it at hand."""
    if isinstance(error, BrokenPipeError):
        return _has_no_reader(sys.stdout)
    *_, (frame, _line) = traceback.walk_tb(error.__traceback__)
    written = frame.f_locals.get("file") or getattr(frame.f_locals.get("self"), "file", None)
    return written is not None and written is sys.stdout


def _has_no_reader(stream: TextIO | None) -> bool:
    if stream is None:
        return False
    try:
        descriptor = stream.fileno()
    except OSError:  # no file at all, as where the program is embedded
        return False
    poll = select.poll()
    poll.register(descriptor, 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _descriptor, event in poll.poll(0))


def _drop_output() -> None:
    """Keeps the interpreter from trying, and complaining, once more when it ends."""
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
