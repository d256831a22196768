"""Client of the Waymark scanning service: codes, image anchors, documents and text of a camera, as events.

`Client` waits, `AsyncClient` is for asyncio. Every method of the protocol is a method of both; results and events are dataclasses of
`waymark.messages`.
"""

from .aio import AsyncClient
from .client import Client
from .errors import ConnectionLost, RequestFailed, WaymarkError
from .events import Event
from .picture import Picture

__version__ = "0.1.0"
__all__ = ["AsyncClient", "Client", "ConnectionLost", "Event", "Picture", "RequestFailed", "WaymarkError", "__version__"]
