"""URLs that the server signs itself, for a store that cannot: one method on one key, of one size, until one moment."""

import hashlib
import hmac
from datetime import datetime, timedelta
from typing import NamedTuple
from urllib.parse import quote, urlencode

from blobforge.domain.errors import Forbidden
from blobforge.ports.blob_store import BlobKey
from blobforge.ports.clock import Clock
from blobforge.ports.transfers import Method, SignedUrl, Transfers
from blobforge.wire.paths import BLOBS


class Grant(NamedTuple):
    """What a URL allows. `size` is how many bytes may be written; None for reading. `part` is the number of the part
    that may be written, of an upload in parts."""

    method: Method
    key: BlobKey
    expires: int
    size: int | None
    part: int | None = None


class FileUrls:
    def __init__(self, secret: bytes, *, public_url: str, clock: Clock) -> None:
        self._secret = secret
        self._public_url = public_url.rstrip("/")
        self._clock = clock

    def signed(
        self, key: BlobKey, *, method: Method, valid_for: timedelta, size: int | None = None, part: int | None = None
    ) -> SignedUrl:
        expires = int((self._clock.now() + valid_for).timestamp())
        grant = Grant(method, key, expires, size, part)
        query: dict[str, str | int] = {"method": method, "expires": expires, "signature": self._signature(grant)}
        if size is not None:
            query["size"] = size
        if part is not None:
            query["part"] = part
        url = f"{self._public_url}{BLOBS}/{quote(key)}?{urlencode(query)}"
        headers = {} if size is None else {"Content-Length": str(size)}
        return SignedUrl(url, method, int(valid_for.total_seconds()), headers)

    def require(self, grant: Grant, *, asked: str, signature: str) -> None:
        """`asked` is the method of the request. Raises Forbidden."""
        if not hmac.compare_digest(signature.encode("utf-8", "replace"), self._signature(grant).encode()):
            raise Forbidden("the signature of this address is wrong: it was changed, or another server made it")
        if asked != grant.method and not (asked == "HEAD" and grant.method == "GET"):
            raise Forbidden(f"this address is for {grant.method}, and not for {asked}")
        if self._expires(grant) <= self._clock.now():
            raise Forbidden("this address is no longer valid; ask for another one")

    def _expires(self, grant: Grant) -> datetime:
        return datetime.fromtimestamp(grant.expires, tz=self._clock.now().tzinfo)

    def _signature(self, grant: Grant) -> str:
        said = "\n".join(map(str, grant)).encode("utf-8", "surrogatepass")
        return hmac.new(self._secret, said, hashlib.sha256).hexdigest()


class UrlMaker:
    """The store's own signed URLs, or else the server's."""

    def __init__(self, transfers: Transfers, own: FileUrls) -> None:
        self._transfers = transfers
        self._own = own

    def signed(self, key: BlobKey, *, method: Method, valid_for: timedelta, size: int | None = None) -> SignedUrl:
        found = self._transfers.signed(key, method=method, valid_for=valid_for, size=size)
        return found or self._own.signed(key, method=method, valid_for=valid_for, size=size)
