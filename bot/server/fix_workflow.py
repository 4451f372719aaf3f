"""Build what carries runs and proofs on GitHub: their parts, in the order of a run."""

from __future__ import annotations

from pathlib import Path

from bot.github.github import GitHub
from bot.health.services import Services
from bot.model.deadline import StopSign
from bot.model.money.caps import NO_CAPS, Caps
from bot.model.request import FixRequest
from bot.model.steps import Steps
from bot.redaction import Redactor
from bot.repair.proposers.base import AskPerson
from bot.runs.display import Display
from bot.runs.durability.database_outage import Excuses
from bot.runs.event_recorder import Recorder
from bot.runs.memory import Remembering
from bot.runs.previous_repair import KnownRepairs
from bot.runs.proof_workflow import ProofWorkflow, ProvingParts
from bot.runs.publishing.approval_requests import ApprovalRequests
from bot.runs.publishing.outcome_comment import Ending
from bot.runs.publishing.publisher import Publisher
from bot.runs.publishing.quarantines import Quarantines
from bot.runs.publishing.review_answers import ReviewAnswers
from bot.runs.reruns import Reruns
from bot.runs.result_history import ResultHistory
from bot.runs.run_artifacts import RunArtifacts
from bot.runs.run_traces import TracedRuns
from bot.runs.sandbox_choice import SandboxChoice
from bot.runs.sources import Sources
from bot.runs.start import Beginning
from bot.runs.starting_state import Brief
from bot.runs.tool_approvals import ToolApprovals
from bot.runs.waiting_times import Timing
from bot.runs.watched_repair import RunTools, ServedRepair, WatchedRepair
from bot.runs.workflow import FixWorkflow, RunParts
from bot.storage.stores import Stores
from bot.telemetry.run_metrics import RunMetrics
from bot.telemetry.span import NO_SPANS, Spans


def build_workflow(
    github: GitHub,
    stores: Stores,
    sandboxes: SandboxChoice,
    services: Services,
    steps: Steps,
    folder: Path,
    display: Display,
    *,
    caps: Caps = NO_CAPS,
    timing: Timing,
    redactor: Redactor,
    metrics: RunMetrics,
    spans: Spans = NO_SPANS,
) -> FixWorkflow:
    """Return what carries the runs of a server.

    Args:
        github: Where they come from and go to.
        stores: What is remembered of them.
        sandboxes: Where they work.
        services: What they depend on.
        steps: Keep what they did.
        folder: For checkouts and mirrors.
        display: Where people watch them.
        caps: What all of them may spend.
        timing: How long they wait.
        redactor: Takes secrets out of what leaves them.
        metrics: Count them.
        spans: Trace them.
    """
    remembering = Remembering(github, stores, redactor)

    def record(request: FixRequest) -> Recorder:
        counted = metrics.of_run(request.asked_at.timestamp())
        return Recorder(stores.events, request.run_id, redactor, counted)

    def asking(request: FixRequest, brief: Brief, stopped: StopSign) -> AskPerson | None:
        if request.number is None and not request.asked_through:
            return None
        role, runs, approvals = brief.config.who.approve, stores.runs, stores.approvals
        return ToolApprovals(request, role, github, runs, approvals, redactor.text, stopped).ask

    tools = RunTools(
        lambda request: RunArtifacts(github, request.repo),
        asking,
        remembering.of,
        stores.routes,
        remembering.releases_for,
    )
    parts = RunParts(
        beginning=Beginning(github, stores.runs, display, caps, redactor),
        known=KnownRepairs(stores.runs),
        sources=Sources(github, folder, first_wait=timing.retry_seconds),
        repair=WatchedRepair(
            display,
            stores.runs,
            stores.ledger,
            record,
            ServedRepair(sandboxes, services, tools),
            redactor,
            edit_seconds=timing.edit_seconds,
        ),
        publisher=Publisher(github, stores.runs, stores.commits, stores.pulls, display.page_of),
        reruns=Reruns(github, stores.commits),
        asking=ApprovalRequests(stores.runs, stores.approvals, display, timing.approval),
        remembering=remembering,
        answers=ReviewAnswers(github),
        tests=ResultHistory(stores.tests, stores.quarantines, metrics),
        quarantines=Quarantines(github, stores.quarantines),
        ending=Ending(github, stores.runs, display),
    )
    return FixWorkflow(
        parts,
        stores.runs,
        stores.ledger,
        steps,
        sandboxes,
        TracedRuns(stores, spans),
        Excuses(stores.runs),
        metrics,
        first_wait=timing.retry_seconds,
    )


def build_proofs(
    github: GitHub,
    stores: Stores,
    sandboxes: SandboxChoice,
    services: Services,
    steps: Steps,
    folder: Path,
    *,
    timing: Timing,
    redactor: Redactor,
) -> ProofWorkflow:
    """Return what carries the proofs of a server; see `build_workflow`.

    Args:
        github: Where they come from and go to.
        stores: What is remembered of them.
        sandboxes: Where they work.
        services: What they depend on.
        steps: Keep what they did.
        folder: For checkouts and mirrors.
        timing: How long they wait.
        redactor: Takes secrets out of what leaves them.
    """
    sources = Sources(github, folder, first_wait=timing.retry_seconds)
    parts = ProvingParts(
        github=github,
        proofs=stores.proofs,
        words=stores.last_words,
        sources=sources,
        sandboxes=sandboxes,
        services=services,
        redactor=redactor,
        edit_seconds=timing.edit_seconds,
        first_wait=timing.retry_seconds,
    )
    return ProofWorkflow(parts, steps)
