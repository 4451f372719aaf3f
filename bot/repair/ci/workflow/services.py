"""Say what a job's services are, because a sandbox starts none of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bot.repair.ci.workflow.specification import Raw


def service_sentences(services: Mapping[str, Raw]) -> Iterator[str]:
    """Yield one sentence per service container."""
    for name, service in services.items():
        image = service.get("image") if isinstance(service, Mapping) else service
        made = f" (`{image}`)" if isinstance(image, str) and image else ""
        yield f"The service `{name}`{made} is not started here: steps that connect to it fail."
