"""Run the demo: `python -m demo`. Exit status 0 when every story ended as it must."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from bot.errors import UsageError
from bot.settings.environment import load_local_settings
from demo.screen import Screen
from demo.serving import DemoFailed, tail
from demo.stage import open_stage
from demo.stories import STORIES
from demo.surroundings import model_name

AS_IT_MUST, MISSED, UNUSABLE, INTERRUPTED = 0, 1, 2, 130


async def play_all(screen: Screen, environ: Mapping[str, str]) -> int:
    """Play every story and return the exit status.

    Raises:
        DemoFailed: When the server does not start, or dies.
        UsageError: When the model's settings can't be used.
    """
    model = model_name(load_local_settings(environ))
    screen.opening(model, len(STORIES))
    with tempfile.TemporaryDirectory(prefix="fixpoint-demo-") as folder:
        async with open_stage(Path(folder), environ, screen) as stage:
            endings = []
            for number, story in enumerate(STORIES, 1):
                screen.story(number, len(STORIES), story.title)
                endings.append(await stage.play(story))
                screen.ending(endings[-1])
            misses = [ending.missed(has_model=model is not None) for ending in endings]
            if any(misses):
                screen.log(tail(stage.server.log))
    screen.summary(endings, misses)
    return MISSED if any(misses) else AS_IT_MUST


async def _until_signal(screen: Screen) -> int:
    """Play; a signal cancels, so that the server and its folder are cleaned up."""
    task = asyncio.current_task()
    if task is not None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await play_all(screen, os.environ)


def main() -> int:
    """Run the demo and return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    screen = Screen()
    try:
        return asyncio.run(_until_signal(screen))
    except (KeyboardInterrupt, asyncio.CancelledError):
        screen.line("Interrupted; the server is stopped and its folder removed.")
        return INTERRUPTED
    except UsageError as error:
        screen.line(str(error))
        return UNUSABLE
    except DemoFailed as error:
        screen.line(str(error), "red")
        return MISSED


if __name__ == "__main__":
    sys.exit(main())
