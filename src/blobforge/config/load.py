"""Settings out of flags, environment, project file, user file and defaults, the first that speaks winning."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from blobforge.config.buckets import with_what_follows
from blobforge.config.catalog import Setting, by_name, catalog
from blobforge.config.environment import read_environment
from blobforge.config.files import PROJECT_FILE, read_file
from blobforge.config.machine import data_folder, user_file
from blobforge.config.reading import Given, Layer, Provenance, ReadSettings
from blobforge.config.settings import Settings
from blobforge.domain.addresses import MASK, shown_address, shown_value
from blobforge.domain.errors import InvalidSettings
from blobforge.telemetry.safe_text import is_secret_name

DEFAULT = Provenance(Layer.DEFAULT)


class ConfigFile(NamedTuple):
    path: Path
    found: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """`files` are those that were looked for, the stronger first."""

    settings: Settings
    provenance: Mapping[str, Provenance]
    warnings: tuple[str, ...]
    files: tuple[ConfigFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """The settings as far as they can be read: with refusals or doubts, it is for the caller to go on or not."""

    settings: Settings | None
    provenance: Mapping[str, Provenance]
    refused: tuple[str, ...]
    doubts: tuple[str, ...]
    files: tuple[ConfigFile, ...]


def load(
    flags: Mapping[str, object] | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Loaded:
    """Flags are by the settings' names; None means not given. Raises InvalidSettings that names all that is wrong."""
    examined = examine(flags, environ=environ, folder=folder)
    settings = examined.settings
    if settings is None or examined.refused:
        raise InvalidSettings(_counted((*examined.refused, *examined.doubts)))
    if settings.strict and examined.doubts:
        raise InvalidSettings(_counted(examined.doubts))
    return Loaded(settings=settings, provenance=examined.provenance, warnings=examined.doubts, files=examined.files)


def examine(
    flags: Mapping[str, object] | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Examined:
    """Reads everything and raises nothing."""
    environ = os.environ if environ is None else environ
    paths = _files(environ, Path.cwd() if folder is None else folder)
    readings = [_read_flags(flags or {}), read_environment(environ), *(read_file(path) for path in paths)]
    given, refused, doubts = with_what_follows(_strongest([*readings, _machine_defaults(environ)]))
    settings, wrong = _build(given)
    return Examined(
        settings=settings,
        provenance={
            setting.name: given[setting.name].provenance if setting.name in given else DEFAULT for setting in catalog()
        },
        refused=(*wrong, *refused, *(text for reading in readings for text in reading.refused)),
        doubts=(*doubts, *(text for reading in readings for text in reading.doubts)),
        files=tuple(ConfigFile(path, os.access(path, os.R_OK)) for path in paths),
    )


def shown(setting: Setting, text: str) -> str:
    """A value as it may be shown: passwords masked, also those that were meant for another setting."""
    if is_secret_name(setting.name):
        return MASK
    return shown_address(text) if setting.name in ("queue", "store", "s3_endpoint_url") else shown_value(text)


def _counted(texts: Sequence[str]) -> str:
    if len(texts) == 1:
        return texts[0]
    return " ".join(f"({number}) {text}" for number, text in enumerate(texts, start=1))


def _files(environ: Mapping[str, str], folder: Path) -> Sequence[Path]:
    users = user_file(environ)
    return [folder / PROJECT_FILE, *([users] if users else [])]


def _read_flags(flags: Mapping[str, object]) -> ReadSettings:
    known = by_name()
    return ReadSettings(
        given={
            name: Given(value, Provenance(Layer.FLAG, known[name].flag))
            for name, value in flags.items()
            if value is not None
        }
    )


def _machine_defaults(environ: Mapping[str, str]) -> ReadSettings:
    folder = data_folder(environ)
    return ReadSettings(given={"home": Given(folder, DEFAULT)} if folder else {})


def _strongest(readings: Sequence[ReadSettings]) -> Mapping[str, Given]:
    return {name: given for reading in reversed(readings) for name, given in reading.given.items()}


def _build(given: Mapping[str, Given]) -> tuple[Settings | None, list[str]]:
    nested: dict[str, object] = {}
    for setting in catalog():
        if setting.name in given:
            _put(nested, setting.path, given[setting.name].value)
    try:
        return Settings.model_validate(nested), []
    except ValidationError as error:
        # What a default could not be made from has a line of its own.
        details = [detail for detail in error.errors() if detail["type"] != "default_factory_not_called"]
        return None, [_explained(detail["loc"], detail["msg"], given) for detail in details]


def _put(nested: dict[str, object], path: tuple[str, ...], value: object) -> None:
    *sections, field = path
    for section in sections:
        inner = nested.setdefault(section, {})
        assert isinstance(inner, dict)
        nested = inner
    nested[field] = value


def _explained(place: tuple[int | str, ...], message: str, given: Mapping[str, Given]) -> str:
    setting = next((setting for setting in catalog() if setting.path == place[: len(setting.path)]), None)
    if setting is None:
        return _explained_together(message, given)
    if setting.name not in given:
        return f"{setting.name}: no home folder is known; set {setting.environment}"
    value, provenance = given[setting.name]
    return f"{provenance}: {_quoted(setting, value)} is no value for {setting.name}; expected {setting.expects}"


def _explained_together(message: str, given: Mapping[str, Given]) -> str:
    """Two values that each are good and do not go together: the message names both."""
    text = message.removeprefix("Value error, ")
    origins = [f"{name} is from {given[name].provenance}" for name in by_name() if name in given and name in text]
    return f"{text} ({', '.join(origins)})"


def _quoted(setting: Setting, value: object) -> str:
    text = repr(shown(setting, value)) if isinstance(value, str) else shown(setting, repr(value))
    return text if len(text) <= 120 else text[:117] + "..."
