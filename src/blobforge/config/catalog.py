"""The settings as a list: one name for each in the environment, in files, in flags and in `config show`."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from pydantic.fields import FieldInfo

from blobforge.config.settings import Section, Settings
from blobforge.config.values import Expects, Says

PREFIX = "BLOBFORGE_"

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """`section` is empty at the top. `default` is a text."""

    name: str
    section: str
    field: str
    meaning: str
    expects: str
    default: str
    aliases: tuple[str, ...]
    flag: str

    @property
    def environment(self) -> str:
        return PREFIX + self.name.upper()

    @property
    def path(self) -> tuple[str, ...]:
        return (self.section, self.field) if self.section else (self.field,)

    def value_in(self, settings: Settings) -> str | int | float | bool | None:
        value: object = settings
        for step in self.path:
            value = getattr(value, step)
        return value if isinstance(value, str | int | float | bool | None) else str(value)


@cache
def catalog() -> tuple[Setting, ...]:
    """All settings, the top ones first, then section by section."""
    sections = _sections()
    top = [_setting("", name, field) for name, field in Settings.model_fields.items() if name not in sections]
    below = [
        _setting(section, name, field)
        for section, model in sections.items()
        for name, field in model.model_fields.items()
    ]
    return (*top, *below)


def by_name() -> dict[str, Setting]:
    return {setting.name: setting for setting in catalog()}


def about_section(section: str) -> str:
    """The line that introduces a section; "" is the top."""
    model: type[Section] = _sections()[section] if section else Settings
    return (model.__doc__ or "").strip()


def as_text(value: object) -> str:
    """A value as a person would write it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _sections() -> dict[str, type[Section]]:
    return {
        name: field.annotation
        for name, field in Settings.model_fields.items()
        if isinstance(field.annotation, type) and issubclass(field.annotation, Section)
    }


def _setting(section: str, field_name: str, field: FieldInfo) -> Setting:
    says = _the(Says, field.metadata)
    name = says.name or "_".join(filter(None, (section, field_name)))
    return Setting(
        name=name,
        section=section,
        field=field_name,
        meaning=says.meaning,
        expects=_the(Expects, field.metadata).text,
        default=says.default or as_text(field.default),
        aliases=says.aliases,
        flag=says.flag or "--" + name.replace("_", "-"),
    )


def _the(kind: type[Found], metadata: Iterable[object]) -> Found:
    return next(_all(kind, metadata))


def _all(kind: type[Found], metadata: Iterable[object]) -> Iterator[Found]:
    return (item for item in metadata if isinstance(item, kind))
