"""Certificates that the program wrote, proved again."""

from __future__ import annotations

import json
from typing import Any, Dict

from ._pcgs import certified_json
from ._types import Path


def certify(trace: Path, certificate: Path) -> Dict[str, Any]:
    """Proves a certificate again from its trace, as `pcgs certify` does; an Error unless it holds.

    Returns the certificate, and as `made_of` what the bound of each method against its best path is made
    of, in nats: `start`, `stays`, `restarts` and `where_to` are the code length of the path, `gaps` the
    rest; `uniform_stays` and `uniform_where_to` are what the same path would cost with uniform q. None of
    it is believed: all is computed from the trace.
    """
    return json.loads(certified_json(trace, certificate))
