"""How git is called: without questions to a person, and in words that we understand."""

import os
import re

_OF_ANOTHER_REPOSITORY = frozenset(
    {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_NAMESPACE"}
)
_REASON = re.compile(r"^(?:fatal|error)\b[^:]*: *(.+)", re.IGNORECASE)


def quiet_environment() -> dict[str, str]:
    """Our own, without what would make git look at another repository, and without prompts."""
    environ = {name: value for name, value in os.environ.items() if name not in _OF_ANOTHER_REPOSITORY}
    return environ | {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C.UTF-8"}


def said(stderr: bytes) -> str:
    """Why a program failed: the first line that it calls an error, or else its last one."""
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    reasons = [found.group(1) for line in lines if (found := _REASON.match(line))]
    return (reasons or lines[-1:] or [""])[0]
