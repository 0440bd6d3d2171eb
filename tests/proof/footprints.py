"""Which objects each actor has been seen to read and write: steps that touch nothing of the others need no order."""

from collections.abc import Iterable

from tests.proof.stepper import is_away

from blobforge.testing.simulated_client import S3Request


class Footprint:
    """Of one actor. It only grows."""

    def __init__(self) -> None:
        self.read: set[str] = set()
        self.listed: set[str] = set()
        self.written: set[str] = set()

    def add(self, request: S3Request) -> bool:
        """Whether that is new."""
        before = len(self.read) + len(self.listed) + len(self.written)
        if request.operation == "list_objects_v2":
            self.listed.add(request.prefix)
        elif request.is_write:
            self.written.update(_keys(request))
        elif not is_away(request):
            self.read.add(request.key)
        return len(self.read) + len(self.listed) + len(self.written) > before

    def is_touched_by(self, request: S3Request) -> bool:
        """Whether this actor could notice the request, or the request what this actor does."""
        if is_away(request):
            return False
        if request.operation == "list_objects_v2":
            return any(key.startswith(request.prefix) for key in self.written)
        if not request.is_write:
            return request.key in self.written
        return any(self._sees(key) for key in _keys(request))

    def _sees(self, key: str) -> bool:
        return key in self.written or key in self.read or any(key.startswith(prefix) for prefix in self.listed)


class Footprints:
    """Of all actors together. What is judged by them holds only if they have not grown since."""

    def __init__(self, names: Iterable[str], existing: Iterable[str]) -> None:
        self._of = {name: Footprint() for name in names}
        self._existing = set(existing)
        self._touched: dict[tuple[str, S3Request], bool] = {}
        self.have_grown = False

    def begin(self) -> None:
        self.have_grown = False
        self._touched.clear()

    def add(self, name: str, request: S3Request) -> None:
        grown = self._of[name].add(request)
        if request.operation in ("put_object", "complete_multipart_upload") and request.key not in self._existing:
            self._existing.add(request.key)
            grown = True
        self.have_grown |= grown

    def ever_exists(self, key: str) -> bool:
        return key in self._existing

    def is_alone(self, name: str, request: S3Request) -> bool:
        """Whether no other actor has to do with what this one asks for."""
        known = self._touched.get((name, request))
        if known is None:
            others = (footprint for other, footprint in self._of.items() if other != name)
            known = self._touched[name, request] = not any(other.is_touched_by(request) for other in others)
        return known


def _keys(request: S3Request) -> tuple[str, ...]:
    return request.keys or (request.key,)
