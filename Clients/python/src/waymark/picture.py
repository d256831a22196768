"""Pictures of the camera, of documents and of scenes."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

from .messages import MediaHeader


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as the service sent it."""

    header: MediaHeader
    """Its format, size, and the frame that it shows."""
    data: bytes
    """The bytes of the file: JPEG, PNG, WebP, BMP, GIF or PNM."""

    def array(self) -> Any:
        """The pixels as a numpy array, height x width (gray) or height x width x 3 (RGB), 8 bits each.

        :raises ImportError: when numpy or Pillow is not installed.
        """
        import numpy
        from PIL import Image

        with Image.open(io.BytesIO(self.data)) as picture:
            return numpy.asarray(picture if picture.mode in ("L", "RGB") else picture.convert("RGB"))
