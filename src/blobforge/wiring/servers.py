"""Queues behind a server: what it keeps is not on this machine."""

from datetime import timedelta
from typing import NamedTuple

from blobforge import plugins
from blobforge.clock import SystemClock
from blobforge.config.settings import Settings
from blobforge.domain.addresses import shown_address
from blobforge.domain.errors import InvalidSettings
from blobforge.wire import paths
from blobforge.wire.api import ServerVersion, WhoAmI
from blobforge.wiring.manifests import server_access

STORE_OF_SERVER = "the server's"
"""Where one is named: the settings of this machine do not say where that is."""


def is_behind_server(settings: Settings) -> bool:
    """Raises InvalidSettings for an address that nobody has."""
    return plugins.load_queue(settings.queue).is_server


def on_this_machine(settings: Settings) -> Settings:
    """The same with the queue and the store of the home, where the settings name a server: what is done by this machine
    alone is nobody else's business."""
    if not is_behind_server(settings):
        return settings
    home = Settings(home=settings.home)
    return settings.model_copy(update={"queue": home.queue, "store": home.store})


def with_own_project(settings: Settings) -> Settings:
    """Where nobody has said which project is meant, a server says it: the one that the token or the secret is for.
    Raises StoreUnavailable, NotSignedIn, Forbidden."""
    if "project" in settings.model_fields_set or not is_behind_server(settings):
        return settings
    from blobforge.client.connection import Connection, Credentials
    from blobforge.client.dealings import project_for
    from blobforge.client.steps import carry_out

    connection = Connection(settings.queue, Credentials.of(server_access(settings)))
    try:
        return settings.model_copy(update={"project": carry_out(project_for(connection, None), connection)})
    finally:
        connection.close()


class ServerFacts(NamedTuple):
    """`who` is in words; `ahead` is how far the clock of this machine goes before the server's."""

    version: str
    who: str
    ahead: timedelta


def look_at_server(settings: Settings) -> ServerFacts:
    """Raises StoreUnavailable, NotSignedIn, Forbidden."""
    from blobforge.client.connection import Connection, Credentials

    connection = Connection(settings.queue, Credentials.of(server_access(settings)))
    try:
        version = connection.get(paths.VERSION, ServerVersion).version
        told = connection.get(paths.WHOAMI, WhoAmI)
        ahead = SystemClock().now() - told.now
    finally:
        connection.close()
    project = "all projects" if told.project is None else f"project {told.project}"
    who = "everyone is let in" if told.is_open else f"{told.name}, {told.role or 'worker'}, {project}"
    return ServerFacts(version, who, ahead)


def require_server_machine(settings: Settings, what: str) -> None:
    """For what needs the queue and the store themselves. Raises InvalidSettings behind a server."""
    if is_behind_server(settings):
        raise InvalidSettings(
            f"'blobforge {what}' belongs on the machine of the server {shown_address(settings.queue)}: run it there, "
            "where BLOBFORGE_SERVER_URL is not set"
        )


def require_worker_secret(settings: Settings) -> None:
    """A person's token is no worker's secret. Raises InvalidSettings."""
    if is_behind_server(settings) and settings.token is not None and settings.worker.secret is None:
        raise InvalidSettings(
            "a worker has a secret of its own, and BLOBFORGE_TOKEN is none: set BLOBFORGE_WORKER_ID and "
            "BLOBFORGE_WORKER_SECRET ('blobforge workers create NAME' on the server's machine makes one)"
        )
