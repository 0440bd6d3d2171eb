"""The reference of settings, from src/blobforge/config."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from blobforge.config.catalog import Setting, about_section, catalog
from blobforge.config.environment import RESERVED
from blobforge.config.lab import LabSettings

INTRODUCTION = """\
# Settings

<!-- Made by docs/generate_reference.py from src/blobforge/config; changes belong there. -->

A setting has one name everywhere. `slots` is `slots = 4` in a file, `BLOBFORGE_SLOTS=4` in the environment and
`--slots 4` on the commands that take it. The first of these that speaks wins:

1. a flag,
2. the environment,
3. the project's file, `blobforge.toml` in the current folder,
4. the user's file, `$XDG_CONFIG_HOME/blobforge/config.toml` (mostly `~/.config/blobforge/config.toml`),
5. the default.

`blobforge config show` prints every value and where it came from. `blobforge config check` refuses what is not
understood. Passwords in URLs are masked wherever they are shown.

A file is TOML without tables:

```toml
queue = "sqlite:////srv/blobforge/queue.db"
slots = 4
lease_seconds = 120
```

- An empty variable counts as unset.
- A name that is not known gets a warning that says what is near; with `strict` it is refused. Names that Kubernetes
  makes for a service (`BLOBFORGE_PORT=tcp://...`, `BLOBFORGE_SERVER_SERVICE_HOST`) and `BLOBFORGE_TEST_...` are passed
  over.
- A value that cannot be read is an error, which names the variable or file, the value and what was expected.
- A relative `home` in a file is meant from the file's folder. Four slashes after `sqlite:` begin an absolute path, as
  three do after `file:`; `%`, `?` and `#` in a path are written `%25`, `%3F` and `%23`.
- The user's data folder is `$XDG_DATA_HOME/blobforge` or `~/.local/share/blobforge`, and
  `~/Library/Application Support/blobforge` on macOS.
"""

NOT_YET = """\
## Names that wait for their part

These are fixed for parts that this version does not have. To set one has no effect but a warning, and an error with
`strict`.
"""


LAB = """\
## The worker for lab reports

`blobforge lab-worker` reads these, by the names that the owners of such databases know. They come from the environment
alone. How it is used: [lab-worker](../howto/lab-worker.md).

| environment | default | meaning |
|---|---|---|
"""


def render() -> str:
    parts = [INTRODUCTION]
    for section, settings in groupby(catalog(), key=lambda setting: setting.section):
        parts.append("\n".join(_section(section, settings)))
    parts.append(LAB + "\n".join(_lab()))
    parts.append("\n".join(_reserved()))
    return "\n".join(parts)


def _section(section: str, settings: Iterable[Setting]) -> Iterator[str]:
    yield f"## {section.capitalize() or 'General'}\n"
    yield f"{about_section(section)}\n"
    yield "| name | environment | default | meaning |"
    yield "|---|---|---|---|"
    for setting in settings:
        names = ", ".join(f"`{name}`" for name in (setting.environment, *setting.aliases))
        default = setting.default if " " in setting.default else f"`{setting.default}`"
        yield f"| `{setting.name}` | {names} | {default} | {setting.meaning}. Takes {setting.expects}. |"
    yield ""


def _lab() -> Iterator[str]:
    for name, field in LabSettings.model_fields.items():
        default = "none: it must be set" if field.is_required() else f"`{field.default}`"
        yield f"| `{name.upper()}` | {default} | {field.description} |"
    yield ""


def _reserved() -> Iterator[str]:
    yield NOT_YET
    yield "| environment | waits for |"
    yield "|---|---|"
    for name in RESERVED:
        yield f"| `{name.name}` | {name.missing} |"
    yield ""
