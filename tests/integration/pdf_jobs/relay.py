"""A wire between a worker and its database that is cut in the middle of a commit."""

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path


class Cut(StrEnum):
    BEFORE = "the database never hears of it"
    AFTER = "it is committed, and the answer is lost"


class Relay:
    """Passes everything on. `cut` is for the next commit alone."""

    def __init__(self, place: Mapping[str, str | int]) -> None:
        self.cut: Cut | None = None
        self._place = place
        self._wires: list[_Wire] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def place(self) -> dict[str, str | int]:
        host, port = self._listener.getsockname()
        return {**self._place, "host": host, "port": port}

    def close(self) -> None:
        # A close alone does not wake a thread that accepts.
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for wire in self._wires:
            wire.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            wire = _Wire(self, client, self._to_database())
            wire.start()
            self._wires.append(wire)

    def _to_database(self) -> socket.socket:
        host, port = str(self._place["host"]), int(self._place["port"])
        if not host.startswith("/"):
            return socket.create_connection((host, port))
        database = socket.socket(socket.AF_UNIX)
        database.connect(str(Path(host, f".s.PGSQL.{port}")))
        return database


class _Wire:
    def __init__(self, relay: Relay, client: socket.socket, database: socket.socket) -> None:
        self._relay = relay
        self._client = client
        self._database = database
        self._is_deaf = False
        self._threads = [threading.Thread(target=way, daemon=True) for way in (self._ask, self._answer)]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        self._hang_up()
        for thread in self._threads:
            thread.join()
        self._client.close()
        self._database.close()

    def _ask(self) -> None:
        for said in _heard(self._client):
            if b"COMMIT" in said and self._relay.cut is not None:
                cut, self._relay.cut = self._relay.cut, None
                if cut is Cut.BEFORE:
                    break
                self._is_deaf = True
            _pass_on(said, self._database)
        self._hang_up()

    def _answer(self) -> None:
        for said in _heard(self._database):
            if self._is_deaf:
                break
            _pass_on(said, self._client)
        self._hang_up()

    def _hang_up(self) -> None:
        for end in (self._client, self._database):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


def _heard(end: socket.socket) -> Iterator[bytes]:
    with suppress(OSError):
        while said := end.recv(65_536):
            yield said


def _pass_on(said: bytes, end: socket.socket) -> None:
    """Somebody who has hung up does not hear it."""
    with suppress(OSError):
        end.sendall(said)


@contextmanager
def relayed(place: Mapping[str, str | int]) -> Iterator[Relay]:
    relay = Relay(place)
    try:
        yield relay
    finally:
        relay.close()
