"""The reference of the API as a page that needs nothing from elsewhere."""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from blobforge.server.reference_page import page_of

router = APIRouter(include_in_schema=False)

NOTHING_FROM_ELSEWHERE = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}


@router.get("/docs", response_class=HTMLResponse)
async def docs(request: Request) -> HTMLResponse:
    """What /openapi.json says, for people."""
    return HTMLResponse(page_of(request.app.openapi()), headers=NOTHING_FROM_ELSEWHERE)
