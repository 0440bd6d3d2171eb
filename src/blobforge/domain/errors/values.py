"""Values from outside that make no sense: settings and options."""

from blobforge.domain.errors.root import BlobForgeError


class InvalidValue(BlobForgeError):
    """A value from outside makes no sense."""

    code = "invalid_value"


class InvalidSettings(InvalidValue):
    """A setting is unknown, or its value cannot be used."""

    code = "invalid_settings"


class StoreMismatch(InvalidSettings):
    """The queue and the store do not belong together: one is set to the wrong place, or the store lost what it held."""

    code = "store_mismatch"


class IdempotencyKeyReused(InvalidValue):
    """Another request was sent under the same key; a new request needs a new one."""

    code = "idempotency_key_reused"


class InvalidOptions(InvalidValue):
    """An option of a processor is unknown, or its value cannot be used."""

    code = "invalid_options"
