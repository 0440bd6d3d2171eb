"""The queue protocol for the manifest: what a library holds, by the names that its documents have in all projects."""

import re

from starlette.responses import Response

from blobforge.domain.errors import Forbidden, InvalidValue, NotFound
from blobforge.ports.shards import Shards
from blobforge.server.auth.asking import Asker
from blobforge.server.bodies import json_router
from blobforge.server.parts import ServerParts
from blobforge.server.routing import Parts, Reader, Submitter, answer, says
from blobforge.wire import paths
from blobforge.wire.stored import (
    ShardAnswer,
    ShardFactsRow,
    ShardFactsRows,
    ShardNames,
    ShardPut,
    ShardPutAnswer,
    ShardRequest,
)

router = json_router("queue protocol")

_NAME = re.compile(r"registry/manifest(\.json|/[0-9A-Za-z-]{1,100}\.json)")


@router.post(paths.SHARD, **says(ShardAnswer))
async def shard(request: ShardRequest, asker: Reader, parts: Parts) -> Response:
    """A part of the manifest; no body where there is none."""
    shards = _manifest(asker, parts)
    found = await parts.crossing.transfer(lambda: shards.get(_name(request.name)))
    return answer(ShardAnswer() if found is None else ShardAnswer.of(found))


@router.post(paths.SHARD_PUT, **says(ShardPutAnswer))
async def put(request: ShardPut, asker: Submitter, parts: Parts) -> Response:
    """Replaces a part of the manifest that still has the version its sender saw."""
    shards = _manifest(asker, parts)
    name = _name(request.name)
    done = await parts.crossing.transfer(lambda: shards.put(name, request.body, seen=request.seen))
    return answer(ShardPutAnswer(done=done))


@router.get(paths.SHARD_FACTS, **says(ShardFactsRows))
async def facts(asker: Reader, parts: Parts) -> Response:
    """Which parts there are."""
    shards = _manifest(asker, parts)
    found = await parts.crossing.transfer(shards.facts)
    return answer(ShardFactsRows(shards=[ShardFactsRow(name=name, **fact._asdict()) for name, fact in found.items()]))


@router.post(paths.SHARD_DELETE, response_class=Response, status_code=204)
async def delete(request: ShardNames, asker: Submitter, parts: Parts) -> Response:
    """Removes parts that are in another part by now."""
    shards = _manifest(asker, parts)
    names = [_name(name) for name in request.names]
    await parts.crossing.transfer(lambda: shards.delete(names))
    return Response(status_code=204)


def _manifest(asker: Asker, parts: ServerParts) -> Shards:
    """Raises Forbidden, NotFound."""
    if asker.project is not None:
        raise Forbidden(f"{asker.name} belongs to project {asker.project!r}, and the manifest is of all projects")
    if parts.shards is None:
        raise NotFound("the store of this server keeps no manifest")
    return parts.shards


def _name(text: str) -> str:
    """Raises InvalidValue."""
    if not _NAME.fullmatch(text):
        raise InvalidValue(f"{text[:80]!r} is no part of the manifest")
    return text
