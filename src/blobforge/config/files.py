"""Configuration files as a source of settings: flat TOML, with the names that `config show` prints."""

import tomllib
from collections.abc import Iterable
from pathlib import Path

from blobforge.config.catalog import by_name
from blobforge.config.reading import Given, Layer, Provenance, ReadSettings, did_you_mean

PROJECT_FILE = "blobforge.toml"


def read_file(path: Path) -> ReadSettings:
    """What a file sets; nothing where it does not exist."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ReadSettings()
    except PermissionError:
        # A container that runs as another user than its image's cannot even look into that user's home.
        return ReadSettings(doubts=(f"file {path}: passed over, since it may not be read",))
    except (OSError, UnicodeDecodeError) as error:
        return ReadSettings(refused=(f"file {path}: cannot be read: {getattr(error, 'strerror', None) or error}",))
    except tomllib.TOMLDecodeError as error:
        return ReadSettings(refused=(f"file {path}: this is not TOML: {error}",))
    provenance = Provenance(Layer.FILE, str(path))
    known = by_name()
    given = {name: Given(_beside(path, name, value), provenance) for name, value in table.items() if name in known}
    doubts = tuple(_unknown(path, name, value, known) for name, value in table.items() if name not in known)
    return ReadSettings(given=given, doubts=doubts)


def _beside(path: Path, name: str, value: object) -> object:
    """A relative home in a file is meant from the file's folder, wherever the command is run."""
    if name == "home" and isinstance(value, str):
        return str(path.parent / Path(value).expanduser())
    return value


def _unknown(path: Path, name: str, value: object, known: Iterable[str]) -> str:
    if isinstance(value, dict):
        return f"file {path}: there are no tables such as [{name}]; settings stand by themselves, as in slots = 4"
    return f"file {path}: no such setting as {name}{did_you_mean(name, known)}"
