"""Let package clients install what there was at a given time, by their own settings.

E2B's machines have no proxy of ours, which would leave newer packages out for every client.
"""

from __future__ import annotations

from datetime import datetime


def package_dates(moment: datetime) -> dict[str, str]:
    """Return the variables that keep uv, pip (from 26.0) and npm from newer releases.

    Sources: `UV_EXCLUDE_NEWER` of uv, `--uploaded-prior-to` of pip, `before` of npm. Other clients
    have no such setting.
    """
    text = moment.isoformat(timespec="seconds")
    return {"UV_EXCLUDE_NEWER": text, "PIP_UPLOADED_PRIOR_TO": text, "NPM_CONFIG_BEFORE": text}
