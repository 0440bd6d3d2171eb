"""Open until the first account is made, and closed from then on: no restart is needed to close it."""

from collections.abc import Callable

from starlette.requests import Request

from blobforge.server.auth.asking import EVERYONE, Asker, Doorman
from blobforge.server.crossing import Crossing


class SwitchingDoor:
    def __init__(self, door: Doorman, crossing: Crossing, *, has_accounts: Callable[[], bool]) -> None:
        self._door = door
        self._crossing = crossing
        self._has_accounts = has_accounts
        self._is_closed = False

    async def asker(self, request: Request) -> Asker:
        if not self._is_closed:
            self._is_closed = await self._crossing.read(self._has_accounts)
        return await self._door.asker(request) if self._is_closed else EVERYONE
