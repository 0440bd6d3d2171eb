"""The branch of who may do what."""

from blobforge.domain.errors.root import BlobForgeError


class AccessError(BlobForgeError):
    """Something about who asks."""

    code = "access_error"


class NotSignedIn(AccessError):
    """The request has no token or secret that counts; a revoked or expired one is none."""

    code = "not_signed_in"


class Forbidden(AccessError):
    """Whoever asks is known, and may not do this."""

    code = "forbidden"


class TooManyRequests(AccessError):
    """Too many requests, or too many wrong secrets from one address; waiting helps."""

    code = "too_many_requests"
    retryable = True


class BodyTooLarge(AccessError):
    """The request is larger than what the server reads at once."""

    code = "body_too_large"
