"""Plan every job of the workflows of public projects, and count what can't be done here.

    python -m bench.plans --mirrors DIR [--only NAME] [--skipped N]

Every clone below DIR (`owner+name`, bare or not) is read at its newest commit: each workflow file,
each job, each leg of its matrix is planned as `fixpoint ci plan` does. Nothing is run.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bench.case import run_git
from bench.tables import print_table
from bot.ci.evidence import EventFacts
from bot.ci.workflow.actions import ActionStatus
from bot.ci.workflow.plan.jobs import WORKFLOWS, JobLeg, all_jobs
from bot.ci.workflow.plan.plan import JobPlan, plan_job
from bot.ci.workflow.services.services import services
from bot.commands.ci_choice import JobChoice, event_of
from bot.ecosystems.tree import DirectoryTree


@dataclass
class Survey:
    """What was counted in one repository, or in all.

    Attributes:
        files: Workflow files.
        jobs: Jobs, each counted once however many legs it has.
        legs: Legs of all jobs.
        planned: Legs with a plan that has a command to run.
        linux: Of those, the ones that GitHub runs on Linux.
        whole: Planned legs in which no step is skipped.
        skipped: How many legs skip a step with that action.
        services: How many legs want that service, by its image, and whether it is known.
        problems: What kept legs from a plan, as sentences.
    """

    files: int = 0
    jobs: int = 0
    legs: int = 0
    planned: int = 0
    linux: int = 0
    whole: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    services: Counter[str] = field(default_factory=Counter)
    problems: Counter[str] = field(default_factory=Counter)

    def add(self, other: Survey) -> None:
        """Count in what another one has."""
        for name, value in vars(other).items():
            mine = getattr(self, name)
            setattr(self, name, mine + value)

    @property
    def row(self) -> tuple[str, ...]:
        """Return its figures for the table."""
        counts = (self.files, self.jobs, self.legs, self.planned, self.linux, self.whole)
        return tuple(str(count) for count in counts)


def main() -> None:
    """Print a row for each repository, the sum, and what is skipped most; exit 1 without clones."""
    options = _options()
    clones = [
        clone for clone in _clones(options.mirrors) if not options.only or clone[0] in options.only
    ]
    if not clones:
        sys.exit(f"{options.mirrors} has no clones.")
    total, rows = Survey(), []
    for name, folder in clones:
        survey = _survey(folder)
        total.add(survey)
        rows.append((name, *survey.row))
    head = ("Repository", "files", "jobs", "legs", "planned", "on Linux", "nothing skipped")
    print_table("Plans of public workflows", head, [*rows, (f"{len(rows)} in all", *total.row)])
    _print_counts("Actions that are skipped, by legs", total.skipped, options.skipped)
    _print_counts("Services, by legs", total.services, options.skipped)
    _print_counts("Why there is no plan, by legs or files", total.problems, options.skipped)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.plans", description=__doc__)
    parser.add_argument("--mirrors", type=Path, required=True, help="folder of the clones")
    parser.add_argument("--only", action="append", metavar="REPO", help="may be repeated")
    parser.add_argument("--skipped", type=int, default=20, help="most names in the lists")
    return parser.parse_args()


def _clones(mirrors: Path) -> Iterator[tuple[str, Path]]:
    for folder in sorted(mirrors.glob("*+*")):
        place = folder / "repo" if (folder / "repo").is_dir() else folder
        yield folder.name.replace("+", "/", 1), place


def _survey(clone: Path) -> Survey:
    """Return what the newest commit of a clone comes to."""
    with tempfile.TemporaryDirectory(prefix="fixpoint-plans-") as name:
        folder = Path(name, "w")
        clone_here = ("clone", "--quiet", "--no-checkout", str(clone), str(folder))
        run_git(Path(name), *clone_here)
        run_git(folder, "read-tree", "HEAD")
        # A stored clone may lack its largest files: it goes on with the others.
        checkout = ("git", "-C", str(folder), "checkout-index", "--all", "--quiet")
        subprocess.run(checkout, check=False, capture_output=True)
        return _of_folder(folder)


def _of_folder(folder: Path) -> Survey:
    tree = DirectoryTree(folder)
    listing = all_jobs(tree)
    survey = Survey(
        files=len([path for pattern in WORKFLOWS for path in tree.glob(pattern)]),
        jobs=len({(leg.entry, leg.workflow.path, leg.job.id) for leg in listing.jobs}),
        legs=len(listing.jobs),
        problems=Counter(listing.problems),
    )
    events = asyncio.run(_events(folder, listing.jobs))
    for event, leg in zip(events, listing.jobs, strict=True):
        _count(survey, plan_job(tree, leg, event), leg)
    return survey


async def _events(folder: Path, legs: Iterable[JobLeg]) -> list[EventFacts]:
    return [await event_of(JobChoice(folder), leg) for leg in legs]


def _count(survey: Survey, plan: JobPlan, leg: JobLeg) -> None:
    steps = [planned.step for planned in plan.walk()]
    if plan.problems or not any(step.command for step in steps):
        survey.problems.update(plan.problems or ["It has no step that can be run here."])
        return
    survey.planned += 1
    labels = " ".join(plan.labels).lower()
    survey.linux += not ("windows" in labels or "macos" in labels)
    skipped = {
        step.spec.uses.partition("@")[0] for step in steps if step.need is ActionStatus.SKIPPED
    }
    survey.whole += not skipped
    survey.skipped.update(skipped)
    known = {service.name for service in services(leg.job.services)}
    for name, service in leg.job.services.items():
        image = service.get("image") if hasattr(service, "get") else service
        survey.services[f"{image}{'' if name in known else ' (not known)'}"] += 1


def _print_counts(title: str, counts: Counter[str], most: int) -> None:
    if counts:
        rows = [(" ".join(name.split()), str(count)) for name, count in counts.most_common(most)]
        print_table(title, ("What", "Legs"), rows)


if __name__ == "__main__":
    main()
