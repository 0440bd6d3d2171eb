"""A connection to a bucket on which something else happens between two requests."""

from collections.abc import Callable
from datetime import datetime

from blobforge.testing.simulated_bucket import SimulatedBucket
from blobforge.testing.simulated_client import S3Reply, S3Request


class Interrupted:
    """Something else happens just before one of the requests, the first of which has the number 0."""

    def __init__(self, bucket: SimulatedBucket, number: int, meanwhile: Callable[[], object]) -> None:
        self._bucket = bucket
        self._number = number
        self._meanwhile = meanwhile
        self.sent: list[S3Request] = []

    def send(self, request: S3Request) -> S3Reply:
        if len(self.sent) == self._number:
            self._meanwhile()
        self.sent.append(request)
        return self._bucket.send(request)

    def now(self) -> datetime:
        return self._bucket.now()
