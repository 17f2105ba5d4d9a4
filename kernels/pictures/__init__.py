"""Pictures of a checked launch: which lanes of a warp touch which addresses, and what each source line costs.

``access_picture`` draws the requests of a traced launch on the sectors of an array, or on the banks of shared memory;
``counters_picture`` draws the counters by source line. Both give a ``Picture``, an SVG that stands alone: a notebook
shows it, and ``save`` writes it. ``sheet`` is the paper, ``lanes`` and ``grid`` draw lanes in cells of memory,
``memory`` and ``banks`` draw one request, ``choose`` picks the requests, ``bars`` draws counters.
"""

from __future__ import annotations

from kernels.pictures.access import access_picture
from kernels.pictures.bars import counters_picture
from kernels.pictures.picture import Picture, PictureError

__all__ = ["Picture", "PictureError", "access_picture", "counters_picture"]
