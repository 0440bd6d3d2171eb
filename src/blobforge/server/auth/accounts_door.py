"""Who asks, by a token or by a worker's secret."""

from collections.abc import Callable

from starlette.requests import Request

from blobforge.domain import account
from blobforge.domain.account import ApiToken, Secret, WorkerAccount
from blobforge.domain.errors import NotFound, NotSignedIn
from blobforge.ports.accounts import Accounts
from blobforge.ports.clock import Clock
from blobforge.server.auth.asking import Asker
from blobforge.server.auth.limits import FailureLimit, KnownCredentials
from blobforge.server.crossing import Crossing

AUTHORIZATION, BEARER = "authorization", "bearer "
WORKER_ID, WORKER_SECRET = "x-worker-id", "x-worker-secret"

_HOW = "send 'Authorization: Bearer bf_…', or X-Worker-ID and X-Worker-Secret"


class AccountsDoor:
    """Every request is looked up: what was revoked counts no more from the next one on."""

    def __init__(self, accounts: Accounts, crossing: Crossing, *, clock: Clock, seconds: Callable[[], float]) -> None:
        self._accounts = accounts
        self._crossing = crossing
        self._clock = clock
        self._limit = FailureLimit(seconds)
        self._let_in = KnownCredentials()

    async def asker(self, request: Request) -> Asker:
        address = request.client.host if request.client is not None else "somewhere"
        credentials = _credentials(request)
        if not self._let_in.knows(credentials):
            self._limit.require_room(address)
        try:
            asker = await self._known(request)
        except NotSignedIn:
            if credentials:
                self._limit.count(address)
                self._let_in.forget(credentials)
            raise
        self._let_in.keep(credentials)
        return asker

    async def _known(self, request: Request) -> Asker:
        authorization = request.headers.get(AUTHORIZATION, "")
        if authorization.lower().startswith(BEARER):
            return await self._by_token(authorization[len(BEARER) :].strip())
        name, secret = request.headers.get(WORKER_ID), request.headers.get(WORKER_SECRET)
        if name is not None and secret is not None:
            return await self._by_worker_secret(name, secret)
        raise NotSignedIn(f"{request.url.path} needs a token or a worker's secret: {_HOW}")

    async def _by_token(self, text: str) -> Asker:
        if not account.is_token_secret(text):
            raise NotSignedIn("what was sent is no token: a token is bf_ and 32 hexadecimal digits")
        token_hash = account.hash_of_secret(Secret(text=text))
        token = await self._crossing.glance(lambda: self._accounts.token_by_hash(token_hash))
        now = self._clock.now()
        if token is None or not account.counts(token, now=now):
            raise NotSignedIn("this token does not count: it is unknown, revoked or expired; ask an admin for another")
        if account.is_use_due(token.last_used_at, now=now):
            await self._crossing.write(lambda: self._accounts.touch_token(token.id, now=now))
        return _asker_of(token)

    async def _by_worker_secret(self, name: str, text: str) -> Asker:
        if not (account.is_worker_name(name) and account.is_worker_secret(text)):
            raise _unknown_worker(name)
        found = await self._crossing.glance(lambda: self._worker(name))
        if found is None or not account.is_secret_of(found, Secret(text=text)):
            raise _unknown_worker(name)
        if not found.is_enabled:
            raise NotSignedIn(f"worker {name!r} was disabled; an admin can enable it again")
        now = self._clock.now()
        if account.is_use_due(found.last_seen_at, now=now):
            await self._crossing.write(
                lambda: self._accounts.update_worker(name, lambda before: account.seen(before, now=now))
            )
        return Asker(name=f"worker {name}", role=None, project=found.project, worker=found)

    def _worker(self, name: str) -> WorkerAccount | None:
        try:
            return self._accounts.worker(name)
        except NotFound:
            return None


def _asker_of(token: ApiToken) -> Asker:
    described = f" ({token.description})" if token.description else ""
    return Asker(name=f"token #{token.id}{described}", role=token.role, project=token.project, token=token)


def _unknown_worker(name: str) -> NotSignedIn:
    """The same for a wrong name and a wrong secret: nobody learns which names there are."""
    if account.is_worker_secret(name) or account.is_token_secret(name):
        return NotSignedIn("X-Worker-ID holds a secret where the name of a worker belongs")
    return NotSignedIn(
        f"the secret of worker {name[:64]!r} does not count: it is wrong, or was replaced; "
        f"'blobforge workers regenerate {name[:64]}' makes another"
    )


def _credentials(request: Request) -> str:
    """All that a request shows; empty where it shows nothing."""
    return "\n".join(
        request.headers[name] for name in (AUTHORIZATION, WORKER_ID, WORKER_SECRET) if name in request.headers
    )
