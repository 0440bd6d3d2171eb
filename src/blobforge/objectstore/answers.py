"""What the responses of a store mean, and retries of requests: absent, lost race, retry, or give up."""

import random
import time
from collections.abc import Callable
from enum import Enum
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    HTTPClientError,
    NoCredentialsError,
    PartialCredentialsError,
    SSLError,
)
from botocore.parsers import ResponseParserError
from urllib3.exceptions import HTTPError as TransportError

from blobforge.domain.addresses import shown_address
from blobforge.domain.errors import BlobForgeError, InvalidSettings, StoreUnavailable
from blobforge.telemetry.safe_text import without_passwords

FIRST_WAIT_SECONDS = 0.1
LONGEST_WAIT_SECONDS = 5.0
FIRST_CONTACT_SECONDS = 2.0
SETTING = "BLOBFORGE_S3_ENDPOINT_URL"
_ADDRESS_ERRORS = (EndpointConnectionError, ConnectTimeoutError, SSLError)

Answer = TypeVar("Answer")

_THROTTLED = frozenset({"SlowDown", "Throttling", "ThrottlingException", "RequestLimitExceeded", "TooManyRequests"})
_LATER = frozenset({"InternalError", "ServiceUnavailable", "RequestTimeout", "OperationAborted"})
_KEY_ERRORS = (
    "AccessDenied",
    "InvalidAccessKeyId",
    "SignatureDoesNotMatch",
    "403",
    "401",
    "ExpiredToken",
    "InvalidToken",
)
_ADVICE = {
    **dict.fromkeys(
        _KEY_ERRORS,
        "check the keys in BLOBFORGE_S3_ACCESS_KEY_ID and BLOBFORGE_S3_SECRET_ACCESS_KEY, or those of the SDK, and "
        "their rights",
    ),
    "RequestTimeTooSkewed": "set this machine's clock (NTP)",
}


class Meaning(Enum):
    """What a response says of the request, whatever the store's words."""

    ABSENT = "there is no such object"
    LOST = "the object is not as the request expects it"
    LATER = "trying again may help"
    REFUSED = "trying again does not help"


class Interpretation(NamedTuple):
    """`message` is for people, with the advice where there is some."""

    meaning: Meaning
    message: str


class Absent(Exception):
    """Only a 404 raises it; no other error is ever taken for it. `is_unclear`: an earlier try may have deleted it."""

    def __init__(self, *, is_unclear: bool = False) -> None:
        super().__init__()
        self.is_unclear = is_unclear


class LostRace(Exception):
    """A condition did not hold. `is_unclear`: an earlier try may itself have changed the object."""

    def __init__(self, *, is_unclear: bool) -> None:
        super().__init__()
        self.is_unclear = is_unclear


def interpretation_of(error: ClientError, *, is_conditional: bool) -> Interpretation:
    details: dict[str, Any] = error.response
    code = str(details.get("Error", {}).get("Code", ""))
    status = details.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    message = str(details.get("Error", {}).get("Message") or code or status)
    if code == "NoSuchBucket":
        return Interpretation(Meaning.REFUSED, f"there is no such bucket ({message}); make it first, or name another")
    # 409 is a race with another conditional write; 501 says that conditions are not known at all.
    if status in (409, 412) or code in ("PreconditionFailed", "ConditionalRequestConflict"):
        # Without a condition no race was lost: the store was busy with this object, and did not carry out the request.
        return Interpretation(Meaning.LOST if is_conditional else Meaning.LATER, f"{status} {message}")
    if code in _THROTTLED or code in _LATER or status == 429 or (status >= 500 and status != 501):
        return Interpretation(Meaning.LATER, f"{status} {message}")
    if status == 404:
        return Interpretation(Meaning.ABSENT, message)
    advice = _ADVICE.get(code)
    return Interpretation(
        Meaning.REFUSED, f"the store refuses: {message}; {advice}" if advice else f"{status} {message}"
    )


class Retries(NamedTuple):
    """For how long a request is retried: exponential back-off with full jitter."""

    seconds: float = 45.0
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    roll: Callable[[], float] = random.random

    def run(
        self,
        where: str,
        request: Callable[[], Answer],
        *,
        is_conditional: bool = True,
        has_answered: Callable[[], bool] = lambda: True,
        endpoint: str | None = None,
        on_refusal: Callable[[str], None] = lambda _said: None,
    ) -> Answer:
        """Raises Absent, LostRace, InvalidSettings, StoreUnavailable. `on_refusal` hears what the store says each time
        before it is tried again.

        A store that has never answered gets less time: a wrong address is more likely than a short outage, and somebody
        waits for the message. One that says that it is busy has answered.
        """
        began = self.clock()
        longest, is_unclear = FIRST_WAIT_SECONDS, False
        while True:
            try:
                return request()
            except ClientError as error:
                trouble = _retryable(error, where, endpoint, is_conditional=is_conditional, is_unclear=is_unclear)
                on_refusal(interpretation_of(error, is_conditional=is_conditional).message)
                is_unclear = True
            except (NoCredentialsError, PartialCredentialsError) as error:
                raise no_keys(where, error) from error
            except ResponseParserError as error:
                raise no_s3(where, endpoint) from error
            except (EndpointConnectionError, ConnectTimeoutError) as error:
                # Nothing was sent, so this try cannot have changed the object.
                trouble = _unavailable(where, error)
            # If the body of an error response breaks off, the SDK passes on the exception of its transport.
            except (HTTPClientError, BotoCoreError, TransportError) as error:
                trouble = _unavailable(where, error, is_first=not has_answered())
                is_unclear = True
            wait = self.roll() * longest
            seconds = self.seconds if has_answered() else min(self.seconds, FIRST_CONTACT_SECONDS)
            if self.clock() + wait >= began + seconds:
                raise trouble
            self.sleep(wait)
            longest = min(longest * 2, LONGEST_WAIT_SECONDS)


def is_s3_s_own(error: ClientError) -> bool:
    """Whether S3 says what is wrong, by a code of its own. Any web server may refuse by a status and a page.

    An answer to HEAD has no body, and so no code, whoever gives it.
    """
    code = str(error.response.get("Error", {}).get("Code", ""))
    return error.operation_name == "HeadObject" or not (code == "" or code.isdigit())


def no_s3(where: str, endpoint: str | None, said: str = "") -> InvalidSettings:
    answer = f" ({said})" if said else ""
    return InvalidSettings(
        f"{where}: what answers there is no S3 store{answer}; check host and port in {_named(endpoint)}"
    )


def no_keys(where: str, error: Exception) -> InvalidSettings:
    return InvalidSettings(
        f"{where}: there are no keys for it: {error}; set both BLOBFORGE_S3_ACCESS_KEY_ID and "
        "BLOBFORGE_S3_SECRET_ACCESS_KEY, or both of the SDK's own"
    )


def _named(endpoint: str | None) -> str:
    return f"{SETTING} ({shown_address(endpoint)})" if endpoint else SETTING


def _unavailable(where: str, error: Exception, *, is_first: bool = True) -> StoreUnavailable:
    """`is_first`: it has never answered. Then, and where it cannot be reached at all, its address may be wrong."""
    message = without_passwords(str(error)).rstrip(".")
    # Without the names of objects, which do not explain the failure.
    endpoint = urlsplit(str(getattr(error, "kwargs", {}).get("endpoint_url") or ""))
    if endpoint.netloc:
        message = message.replace(
            shown_address(endpoint.geturl()), shown_address(f"{endpoint.scheme}://{endpoint.netloc}")
        )
    is_of_address = is_first or isinstance(error, _ADDRESS_ERRORS)
    hint = f"; check the host, the port and the scheme in {SETTING}" if is_of_address else ""
    return StoreUnavailable(f"{where} does not answer: {message}{hint}")


def _retryable(
    error: ClientError, where: str, endpoint: str | None, *, is_conditional: bool, is_unclear: bool
) -> BlobForgeError:
    """Returns the error of a response that is worth a retry; raises any other."""
    meaning, message = interpretation_of(error, is_conditional=is_conditional)
    is_own = is_s3_s_own(error)
    match meaning:
        case Meaning.ABSENT:
            raise Absent(is_unclear=is_unclear) from error
        case Meaning.LOST:
            raise LostRace(is_unclear=is_unclear) from error
        case Meaning.REFUSED if is_own:
            raise InvalidSettings(f"{where}: {message}") from error
        case Meaning.REFUSED:
            raise no_s3(where, endpoint, _status_line(error)) from error
        case Meaning.LATER:
            hint = "" if is_own else f"; check host and port in {_named(endpoint)}"
            return StoreUnavailable(f"{where} does not answer: {message}{hint}")


def _status_line(error: ClientError) -> str:
    details: dict[str, Any] = error.response
    status = details.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    return f"{status} {details.get('Error', {}).get('Message', '')}".strip()
