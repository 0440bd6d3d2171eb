"""How git is called: without prompts, with messages in English, and without our secrets."""

import os
import re
from collections.abc import Mapping

_NAMES = frozenset(
    {
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "TMPDIR",
        "TZ",
        "XDG_CONFIG_HOME",
        "XDG_CACHE_HOME",
        "XDG_RUNTIME_DIR",
        # Whom a person has asked to know their keys and passwords for git.
        "SSH_AUTH_SOCK",
        "SSH_ASKPASS",
        "GIT_ASKPASS",
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GIT_SSH_VARIANT",
        "DBUS_SESSION_BUS_ADDRESS",
        "GNUPGHOME",
        "KRB5CCNAME",
        "NETRC",
        # The way to the servers.
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "CURL_CA_BUNDLE",
        "GIT_SSL_CAINFO",
        "GIT_SSL_CAPATH",
        "GIT_SSL_CERT",
        "GIT_SSL_KEY",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "NO_PROXY",
        # A person's own settings, as opposed to those of a folder.
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_SYSTEM",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_CONFIG_COUNT",
        "GIT_EXEC_PATH",
    }
)
_NUMBERED = re.compile(r"GIT_CONFIG_(?:KEY|VALUE)_[0-9]+")
_REASON = re.compile(r"^(?:fatal|error)\b[^:]*: *(.+)", re.IGNORECASE)


def environment_for_git(parent: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Of the parent's, what is named here: git starts programs, and none of them has to know the keys of our store."""
    kept = {name: value for name, value in parent.items() if name.upper() in _NAMES or _NUMBERED.fullmatch(name)}
    return kept | {
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C.UTF-8",
        # A repository may say that its missing objects are elsewhere, and by which program they are fetched.
        "GIT_NO_LAZY_FETCH": "1",
        # Nothing of a person's work tree is rewritten in passing.
        "GIT_OPTIONAL_LOCKS": "0",
    }


def said(stderr: bytes) -> str:
    """Why a program failed: the first line that it calls an error, or else its last one."""
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    reasons = [found.group(1) for line in lines if (found := _REASON.match(line))]
    return (reasons or lines[-1:] or [""])[0]
