"""For admins: the accounts of workers, tokens, and the audit trail.

Where everyone is let in, nobody is an admin: the first one is made on the machine itself.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Annotated

from fastapi import Query
from pydantic import AwareDatetime
from starlette.responses import Response

from blobforge.accounts.given_back import give_back_jobs_of
from blobforge.accounts.service import AccountService, NewToken, NewWorker
from blobforge.domain.account import ApiToken, TokenId, WorkerAccount, is_worker_name
from blobforge.domain.audit import Actor, ActorKind, AuditEntry, AuditFilter, AuditId
from blobforge.domain.errors import Forbidden, InvalidValue, NotFound
from blobforge.ports.accounts import Accounts
from blobforge.ports.audit import Audit
from blobforge.server.auth.asking import Asker
from blobforge.server.bodies import json_router
from blobforge.server.parts import ServerParts
from blobforge.server.routing import AccountManager, AuditReader, Parts, PathId, TokenManager, answer, says
from blobforge.wire import paths
from blobforge.wire.admin import (
    AccountList,
    AccountView,
    AccountWithSecret,
    AuditPage,
    AuditRow,
    NewTokenMessage,
    NewWorkerMessage,
    TokenList,
    TokenView,
    TokenWithSecret,
)

router = json_router("admin")

MOST_ON_A_PAGE = 500


@router.post(paths.ADMIN_WORKERS, **says(AccountWithSecret, status=201))
async def create_worker(message: NewWorkerMessage, asker: AccountManager, parts: Parts) -> Response:
    """An account for workers of a name, with the secret that they show. It is shown this once."""
    admin = Admin(asker, parts)
    project = admin.project_of(message.project)

    def made() -> NewWorker:
        return admin.service.create_worker(
            message.id,
            actor=admin.actor,
            project=project,
            types=message.types,
            is_exclusive=message.exclusive,
            request_id=asker.request_id,
        )

    return _with_secret(await parts.crossing.write(made), status=201)


@router.get(paths.ADMIN_WORKERS, **says(AccountList))
async def workers(asker: AccountManager, parts: Parts) -> Response:
    """All accounts of workers."""
    found = await parts.crossing.read(Admin(asker, parts).accounts.workers)
    seen = [AccountView.of(account) for account in found if _sees(asker, account.project)]
    return answer(AccountList(workers=seen))


@router.post(f"{paths.ADMIN_WORKER}/regenerate", **says(AccountWithSecret))
async def regenerate(name: str, asker: AccountManager, parts: Parts) -> Response:
    """Another secret; that before counts no more from the next request on."""
    admin = Admin(asker, parts)

    def made() -> NewWorker:
        admin.worker(name)
        return admin.service.regenerate_secret(name, actor=admin.actor, request_id=asker.request_id)

    return _with_secret(await parts.crossing.write(made))


@router.post(f"{paths.ADMIN_WORKER}/enable", **says(AccountView))
async def enable(name: str, asker: AccountManager, parts: Parts) -> Response:
    """Lets a worker in again."""
    admin = Admin(asker, parts)
    return await _changed(name, admin, admin.service.enable_worker)


@router.post(f"{paths.ADMIN_WORKER}/disable", **says(AccountView))
async def disable(name: str, asker: AccountManager, parts: Parts) -> Response:
    """Nothing is answered to a worker any more, from its next request on; its jobs are free at once, with their
    attempts."""
    admin = Admin(asker, parts)
    response = await _changed(name, admin, admin.service.disable_worker)
    lost = await parts.write(lambda queue: give_back_jobs_of(name, queue))
    parts.hub.notify()
    for process in lost:
        parts.hub.lease_was_taken(process)
    return response


@router.post(f"{paths.ADMIN_WORKER}/drain", **says(AccountView))
async def drain(name: str, asker: AccountManager, parts: Parts) -> Response:
    """A worker finishes what it has, and gets nothing more."""
    admin = Admin(asker, parts)
    return await _changed(name, admin, admin.service.drain_worker)


@router.post(f"{paths.ADMIN_WORKER}/resume", **says(AccountView))
async def resume(name: str, asker: AccountManager, parts: Parts) -> Response:
    """A worker gets jobs again."""
    admin = Admin(asker, parts)
    response = await _changed(name, admin, admin.service.resume_worker)
    parts.hub.notify()
    return response


@router.post(paths.ADMIN_TOKENS, **says(TokenWithSecret, status=201))
async def create_token(message: NewTokenMessage, asker: TokenManager, parts: Parts) -> Response:
    """A token for a program; it belongs to whoever made it. It is shown this once."""
    admin = Admin(asker, parts)
    project = admin.project_of(message.project)
    days = message.expires_in_days

    def made() -> NewToken:
        return admin.service.create_token(
            actor=admin.actor,
            owner=admin.token.user_id,
            role=message.role,
            description=message.description,
            project=project,
            expires_after=None if days is None else timedelta(days=days),
            request_id=asker.request_id,
        )

    new = await parts.crossing.write(made)
    view = TokenView.of(new.token, now=parts.clock.now())
    return answer(TokenWithSecret(token=view, secret=new.secret.text), status=201)


@router.get(paths.ADMIN_TOKENS, **says(TokenList))
async def tokens(asker: TokenManager, parts: Parts) -> Response:
    """All tokens, also those that count no more."""
    found = await parts.crossing.read(Admin(asker, parts).accounts.tokens)
    now = parts.clock.now()
    return answer(TokenList(tokens=[TokenView.of(token, now=now) for token in found if _sees(asker, token.project)]))


@router.delete(paths.ADMIN_TOKEN, **says(TokenView))
async def revoke_token(token_id: PathId, asker: TokenManager, parts: Parts) -> Response:
    """A token counts no more from the next request on. To revoke it twice is no error."""
    admin = Admin(asker, parts)

    def revoked() -> ApiToken:
        known = admin.accounts.token(TokenId(token_id))
        if not _sees(asker, known.project):
            raise NotFound(f"there is no token #{token_id}")
        return admin.service.revoke_token(TokenId(token_id), actor=admin.actor, request_id=asker.request_id)

    return answer(TokenView.of(await parts.crossing.write(revoked), now=parts.clock.now()))


@router.get(paths.ADMIN_AUDIT, **says(AuditPage))
async def audit(
    asker: AuditReader,
    parts: Parts,
    actor: Annotated[str | None, Query(max_length=300)] = None,
    subject: Annotated[str | None, Query(max_length=300, pattern=r"^[^\x00]*$")] = None,
    since: Annotated[AwareDatetime | None, Query()] = None,
    limit: Annotated[int, Query(ge=1, le=MOST_ON_A_PAGE)] = 50,
    after: Annotated[PathId | None, Query()] = None,
) -> Response:
    """Who did what to which thing, newest first."""
    trail = Admin(asker, parts).audit
    by = None if actor is None else _actor(actor)
    wanted = AuditFilter(actor=by, subject=subject, project=asker.project, since=since)
    cursor = None if after is None else AuditId(after)

    def page() -> list[AuditEntry]:
        return trail.page(wanted, after=cursor, limit=limit + 1)

    found = await parts.crossing.read(page)
    rows = [AuditRow.of(entry) for entry in found[:limit]]
    return answer(AuditPage(entries=rows, next=str(rows[-1].id) if len(found) > limit else None))


class Admin:
    """Who manages, and what there is to be managed."""

    def __init__(self, asker: Asker, parts: ServerParts) -> None:
        """Raises Forbidden."""
        if asker.token is None or asker.actor is None or parts.accounts is None or parts.audit is None:
            raise Forbidden(
                "everyone is let in here, so that nobody is an admin: make the first token on the machine of the "
                "server, with 'blobforge token create --role admin'"
            )
        self.asker, self.parts = asker, parts
        self.token: ApiToken = asker.token
        self.actor: Actor = asker.actor
        self.accounts: Accounts = parts.accounts
        self.audit: Audit = parts.audit
        self.service = AccountService(parts.accounts, clock=parts.clock)

    def project_of(self, wanted: str | None) -> str | None:
        """Where none is named, the only one that the admin sees. Raises Forbidden."""
        if wanted is not None:
            self.asker.require_project(wanted)
        return wanted or self.asker.project

    def worker(self, name: str) -> WorkerAccount:
        """Raises NotFound, also for one of another project."""
        account = self.accounts.worker(name) if is_worker_name(name) else None
        if account is None or not _sees(self.asker, account.project):
            raise NotFound(f"there is no worker {name!r}")
        return account


async def _changed(name: str, admin: Admin, change: Callable[..., WorkerAccount]) -> Response:
    def changed() -> WorkerAccount:
        admin.worker(name)
        return change(name, actor=admin.actor, request_id=admin.asker.request_id)

    return answer(AccountView.of(await admin.parts.crossing.write(changed)))


def _with_secret(made: NewWorker, *, status: int = 200) -> Response:
    message = AccountWithSecret(worker=AccountView.of(made.account), secret=made.secret.text)
    return answer(message, status=status)


def _sees(asker: Asker, project: str | None) -> bool:
    """What belongs to all projects is seen by who sees all."""
    return asker.project is None or asker.project == project


def _actor(text: str) -> Actor:
    """Raises InvalidValue."""
    kind, _, name = text.partition(":")
    try:
        return Actor(ActorKind(kind), name)
    except ValueError as error:
        raise InvalidValue(
            f"{text[:80]!r} is nobody: write {', '.join(ActorKind)}, a colon and a name, as in token:3"
        ) from error
