"""The document itself, or the way to it."""

from blobforge.domain.errors.root import BlobForgeError


class SourceError(BlobForgeError):
    """Something about the document itself, or the way to it."""

    code = "source_error"


class SourceMissing(SourceError):
    """The document is neither where it was nor in the store."""

    code = "source_missing"
    retryable = True  # an upload may be late, a network disk may be away


class SourceUnreadable(SourceError):
    """The file cannot be read: permissions, a broken link, a failing disk."""

    code = "source_unreadable"


class SourceForbidden(SourceError):
    """The file lies where it must not be read: on another disk, outside its folder, or behind a link."""

    code = "source_forbidden"


class SourceChanged(SourceError):
    """The file was changed after it was hashed; convert or submit it again."""

    code = "source_changed"


class SourceDamaged(SourceError):
    """The stored copy of the document is not what its hash says."""

    code = "source_damaged"


class NotAPdf(SourceError):
    """The file is no PDF, whatever its name says."""

    code = "not_a_pdf"


class EmptySource(SourceError):
    """The file has no bytes."""

    code = "empty_file"


class DamagedSource(SourceError):
    """The PDF cannot be opened, and repairing it did not help."""

    code = "damaged_pdf"


class EncryptedSource(SourceError):
    """The PDF needs a password; give one with --password-file."""

    code = "encrypted_pdf"


class NoPages(SourceError):
    """The PDF has no pages."""

    code = "no_pages"


class NoText(SourceError):
    """No page of the PDF has text, and this processor reads text alone."""

    code = "no_text"


class SourceTooLarge(SourceError):
    """The document is larger than what is allowed."""

    code = "source_too_large"


class TooManyPages(SourceError):
    """The document has more pages than conversion_max_pages."""

    code = "too_many_pages"


class TooManyPictures(SourceError):
    """The document has more pictures than conversion_max_pictures."""

    code = "too_many_pictures"
