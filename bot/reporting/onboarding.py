"""Word the pull request by which Fixpoint introduces itself to a repository."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from bot.model import Commands
from bot.reporting.example import example
from bot.reporting.marker import signed
from bot.reporting.suggested_config import installing

TITLE = "Configure Fixpoint"

_EXAMPLE = Commands(
    setup=("pip install -e '.[test]'",),
    test="python -m pytest",
    failing="python -m pytest",
    ecosystems=("python",),
)


@example(_EXAMPLE, ("`pyproject.toml` shows that the project uses pytest.",), Decimal(2), "")
@example(_EXAMPLE, (), None, "")
def body(commands: Commands, reasons: Sequence[str], most_usd: Decimal | None, mark: str) -> str:
    """Return what was detected, what would happen, and what that costs.

    Args:
        commands: How the repository would be set up and tested.
        reasons: Why, in sentences.
        most_usd: What the model calls of one run may cost; None where no model is configured.
        mark: The marker of the pull request.
    """
    lines = "\n".join((*installing(commands), commands.test))
    why = f"\n\n{' '.join(reasons)}" if reasons else ""
    cost = (
        "Nothing: this server uses no model, so the project's own tools and a search through small "
        "edits do the work."
        if most_usd is None
        else f"At most ${most_usd:.2f} of model calls per run (`budget_usd`)."
    )
    return signed(
        f"""\
Fixpoint was installed on this repository. Nothing has run yet, and nothing starts by itself.

**Detected:** {" and ".join(commands.ecosystems) or "a test command"}. From the files alone, this sets up and tests it:

```sh
{lines}
```{why}

**What it would do:** somebody with write access comments `/fix` on an issue or a pull request. Fixpoint reproduces the failure in a sandbox, repairs it, and opens a draft pull request with the proof. Failed checks start runs only if you switch that on.

**What it costs:** {cost}

This pull request adds `.github/fixpoint.yml` with these commands, and with what else can be set as comments. Correct what is wrong and merge it; or close it, and everything works with what is detected. It won't be opened again.""",
        mark,
    )
