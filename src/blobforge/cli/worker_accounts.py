"""`blobforge workers create` and its like: the accounts by which workers sign in to a server."""

from collections.abc import Callable
from datetime import datetime

import click

from blobforge.accounts.given_back import give_back_jobs_of
from blobforge.accounts.service import AccountService, NewWorker
from blobforge.cli import output
from blobforge.cli.accounts import local_actor, opened_accounts, project_text
from blobforge.cli.choices import JOB_TYPE
from blobforge.cli.output import Column, json_option
from blobforge.domain.account import WorkerAccount
from blobforge.domain.audit import Actor
from blobforge.domain.json_value import JsonObject

_name = click.argument("name", metavar="NAME")


@click.command("create")
@_name
@click.option("--exclusive", is_flag=True, help="Only one process at a time: the next that signs in replaces it.")
@click.option("--project", metavar="NAME", help="Only for this project.  [default: all projects]")
@click.option(
    "--type",
    "types",
    multiple=True,
    type=JOB_TYPE,
    help="Only for this job type; may be given several times.  [default: all types]",
)
@json_option
def create(name: str, *, exclusive: bool, project: str | None, types: tuple[str, ...], as_json: bool) -> None:
    """Make the account of a worker, and print its secret this once.

    Several processes may share a name, such as containers of one kind; with --exclusive there is only one.

    With --json: name, secret, and what 'accounts' lists of it.
    """
    with opened_accounts(makes_queue=True) as opened:
        made = opened.service.create_worker(
            name, actor=local_actor(), project=project, types=types, is_exclusive=exclusive
        )
    _show_secret(made, as_json=as_json)


@click.command("regenerate")
@_name
@json_option
def regenerate(name: str, *, as_json: bool) -> None:
    """Give a worker another secret, and print it this once.

    The one before counts no more, nor does a process that signed in by it and must be the only one.

    With --json: name, secret, and what 'accounts' lists of it.
    """
    with opened_accounts() as opened:
        made = opened.service.regenerate_secret(name, actor=local_actor())
    _show_secret(made, as_json=as_json)


@click.command("enable")
@_name
@json_option
def enable(name: str, *, as_json: bool) -> None:
    """Let a worker in again that was disabled.

    With --json: what 'accounts' lists of it.
    """
    _change(name, AccountService.enable_worker, as_json=as_json)


@click.command("disable")
@_name
@json_option
def disable(name: str, *, as_json: bool) -> None:
    """Shut a worker out at once, until it is enabled.

    Its secret is refused, and its jobs are free for others at once, with the attempt.

    With --json: what 'accounts' lists of it.
    """
    with opened_accounts() as opened:
        account = opened.service.disable_worker(name, actor=local_actor())
        give_back_jobs_of(name, opened.queue)
    _show(account, as_json=as_json)


@click.command("drain")
@_name
@json_option
def drain(name: str, *, as_json: bool) -> None:
    """Let a worker finish what it has, and give it nothing more.

    With --json: what 'accounts' lists of it.
    """
    _change(name, AccountService.drain_worker, as_json=as_json)


@click.command("resume")
@_name
@json_option
def resume(name: str, *, as_json: bool) -> None:
    """Give jobs again to a worker that was drained.

    With --json: what 'accounts' lists of it.
    """
    _change(name, AccountService.resume_worker, as_json=as_json)


@click.command("accounts")
@json_option
def accounts(*, as_json: bool) -> None:
    """List the accounts of workers, whether or not they are at work.

    With --json: accounts, a list of name, project (null for all), types (empty for all), enabled, draining, exclusive,
    process (the only one that may act, where there is only one), has_secret, created_at, updated_at, last_seen_at.
    """
    with opened_accounts() as opened:
        found, now = opened.accounts.workers(), opened.clock.now()
    if as_json:
        output.print_json({"accounts": [_json(account) for account in found]})
        return
    if not found:
        output.say("there are no accounts yet; make one with 'blobforge workers create NAME'")
        return
    titles = ("NAME", "STANDING", "PROJECT", "TYPES", "PROCESSES", "LAST SEEN")
    output.print_table([Column(title, keep=True) for title in titles], [_row(account, now) for account in found])


COMMANDS = (create, regenerate, enable, disable, drain, resume, accounts)

AccountAction = Callable[..., WorkerAccount]


def _change(name: str, change: AccountAction, *, as_json: bool) -> None:
    actor: Actor = local_actor()
    with opened_accounts() as opened:
        account = change(opened.service, name, actor=actor)
    _show(account, as_json=as_json)


def _show(account: WorkerAccount, *, as_json: bool) -> None:
    if as_json:
        output.print_json(_json(account))
        return
    output.say(f"worker {account.name} is {_standing(account)}")


def _show_secret(made: NewWorker, *, as_json: bool) -> None:
    account = made.account
    if as_json:
        output.print_json({"name": account.name, "secret": made.secret.text, **_json(account)})
        return
    output.print_line(made.secret.text)
    processes = "one process at a time" if account.is_exclusive else "any number of processes"
    types = f"type {', '.join(account.types)}" if account.types else "all types"
    output.say(
        f"worker {account.name}: {project_text(account.project)}, {types}, {processes}; the secret is shown only this "
        "once"
    )


def _json(account: WorkerAccount) -> JsonObject:
    return {
        "name": account.name,
        "project": account.project,
        "types": account.types,
        "enabled": account.is_enabled,
        "draining": account.is_draining,
        "exclusive": account.is_exclusive,
        "process": account.process,
        "has_secret": account.secret_hash is not None,
        "created_at": account.created_at.isoformat(),
        "updated_at": account.updated_at.isoformat(),
        "last_seen_at": None if account.last_seen_at is None else account.last_seen_at.isoformat(),
    }


def _standing(account: WorkerAccount) -> str:
    if not account.is_enabled:
        return "disabled"
    return "draining" if account.is_draining else "enabled"


def _row(account: WorkerAccount, now: datetime) -> list[str]:
    return [
        account.name,
        _standing(account),
        account.project or "all",
        ", ".join(account.types) or "all",
        "one" if account.is_exclusive else "any",
        "never" if account.last_seen_at is None else output.age_text(account.last_seen_at, now=now),
    ]
