"""What a client makes of answers that are no problems of ours: those of proxies, and of other programs."""

import pytest

from blobforge.domain.errors import BlobForgeError, Forbidden, InvalidValue, NotFound, NotSignedIn, StoreUnavailable
from blobforge.wire.errors import error_with_status


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        *((401, NotSignedIn), (403, Forbidden), (404, NotFound), (429, StoreUnavailable)),
        *((500, StoreUnavailable), (502, StoreUnavailable), (503, StoreUnavailable), (504, StoreUnavailable)),
        *((400, InvalidValue), (405, InvalidValue), (418, InvalidValue), (499, InvalidValue)),
    ],
)
def test_a_status_alone_says_whether_to_ask_again_and_who_is_at_fault(status: int, kind: type[BlobForgeError]) -> None:
    error = error_with_status(status, "a page of a proxy")

    assert type(error) is kind
    assert str(error) == "a page of a proxy"
