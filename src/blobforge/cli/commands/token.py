"""`blobforge token`: what people and their programs show a server to be let in."""

from datetime import datetime, timedelta

import click

from blobforge.accounts.service import LONGEST_DAYS
from blobforge.cli import output
from blobforge.cli.accounts import local_actor, opened_accounts, project_text
from blobforge.cli.groups import HelpfulGroup
from blobforge.cli.output import Column, json_option
from blobforge.domain.account import ApiToken, Role, TokenId, standing
from blobforge.domain.json_value import JsonObject

_COLUMNS = (
    Column("ID", right=True),
    Column("ROLE"),
    Column("STANDING"),
    Column("PROJECT", rank=2),
    Column("OWNER", rank=4),
    Column("CREATED", rank=3),
    Column("EXPIRES", rank=1),
    Column("LAST USED", rank=1),
    Column("DESCRIPTION", cut=True),
)


@click.group(cls=HelpfulGroup)
def command() -> None:
    """Make, list and revoke tokens for people and programs.

    They are kept with the queue, which has to be in SQLite or PostgreSQL.
    """


@command.command("create")
@click.option("--description", default="", metavar="TEXT", help="What it is for, on one line.")
@click.option(
    "--role",
    default=Role.OPERATOR.value,
    show_default=True,
    type=click.Choice([role.value for role in Role]),
    help="What may be done with it.",
)
@click.option("--project", metavar="NAME", help="Only for this project.  [default: all projects]")
@click.option(
    "--expires-days",
    type=click.IntRange(1, LONGEST_DAYS),
    metavar="DAYS",
    help="It counts no more after so many days.  [default: never]",
)
@json_option
def create(*, description: str, role: str, project: str | None, expires_days: int | None, as_json: bool) -> None:
    """Make a token, and print it this once.

    A viewer reads jobs and results; an operator also submits and steers; an admin also manages tokens and workers.
    Only a hash of the token is kept: whoever loses it makes another one.

    With --json: id, token, owner, description, role, project (null for all), created_at, expires_at (null for never).
    """
    actor = local_actor()
    with opened_accounts(makes_queue=True) as opened:
        made = opened.service.create_token(
            actor=actor,
            owner=opened.service.local_user(actor.name).id,
            role=Role(role),
            description=description,
            project=project,
            expires_after=None if expires_days is None else timedelta(days=expires_days),
        )
    token = made.token
    if as_json:
        facts = _facts(token)
        output.print_json({"id": facts.pop("id"), "token": made.secret.text, **facts})
        return
    output.print_line(made.secret.text)
    until = "never expires" if token.expires_at is None else f"expires on {_day(token.expires_at)}"
    output.say(f"token {token.id}: {token.role}, {project_text(token.project)}, {until}; it is shown only this once")


@command.command("list")
@json_option
def list_tokens(*, as_json: bool) -> None:
    """List all tokens, also those that count no more.

    With --json: tokens, a list of id, owner, description, role, project, created_at, expires_at, standing (active,
    expired, revoked), revoked_at, last_used_at.
    """
    with opened_accounts() as opened:
        tokens, now = opened.accounts.tokens(), opened.clock.now()
    if as_json:
        output.print_json({"tokens": [_listed(token, now) for token in tokens]})
        return
    if not tokens:
        output.say("there are no tokens yet; make one with 'blobforge token create'")
        return
    output.print_table(_COLUMNS, [_row(token, now) for token in tokens])


@command.command("revoke")
@click.argument("token_id", type=click.IntRange(min=1), metavar="ID")
@json_option
def revoke(token_id: int, *, as_json: bool) -> None:
    """Revoke a token, by its number in 'token list'.

    It counts no more from now on.

    With --json: id, owner, description, role, project, created_at, expires_at, standing, revoked_at, last_used_at.
    """
    with opened_accounts() as opened:
        token = opened.service.revoke_token(TokenId(token_id), actor=local_actor())
        now = opened.clock.now()
    if as_json:
        output.print_json(_listed(token, now))
        return
    output.say(f"token {token.id} is revoked")


def _facts(token: ApiToken) -> dict[str, str | int | None]:
    return {
        "id": token.id,
        "owner": token.user_id,
        "description": token.description,
        "role": token.role.value,
        "project": token.project,
        "created_at": token.created_at.isoformat(),
        "expires_at": _time(token.expires_at),
    }


def _listed(token: ApiToken, now: datetime) -> JsonObject:
    return {
        **_facts(token),
        "standing": standing(token, now=now).value,
        "revoked_at": _time(token.revoked_at),
        "last_used_at": _time(token.last_used_at),
    }


def _row(token: ApiToken, now: datetime) -> list[str]:
    return [
        str(token.id),
        token.role.value,
        standing(token, now=now).value,
        token.project or "all",
        token.user_id,
        _day(token.created_at),
        "never" if token.expires_at is None else _day(token.expires_at),
        "never" if token.last_used_at is None else output.age_text(token.last_used_at, now=now),
        token.description,
    ]


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d}"
