"""The rules by which things start, as conditions: what `fixpoint config simulate` lists."""

IS_A_HEAD = "The commit is the head of the default branch or of an open pull request."
NOT_OURS = "Fixpoint did not open the pull request."
CHECKS_ENABLED = (
    "The repo config lets failed checks start runs here (`checks.auto`, `label`, `bots: updates`)."
)
NOT_SWITCHED_OFF = "`/fix auto off` does not hold for the pull request."
NO_FORK = "The pull request doesn't come from a fork, or `checks.forks` allows it."
NO_BOT = "A person opened the pull request, or `checks.bots` or `checks.label` allows it."
NO_DRAFT = "The pull request is no draft, or `checks.drafts` or `checks.label` allows it."
SOMETHING_FAILED = "A check that counts has failed (`checks.names`, `checks.ignore`)."
FIRST_RUN = "No run has worked on this commit."
GREEN_ON_BASE = "A failed check passes on the base branch, or `checks.red_on_base` is on."
GREEN_BEFORE = "A failed check passes on all entries of the merge queue before this one."
FEW_OPEN = "Fewer pull requests of Fixpoint are open than `checks.most_open`."
FEW_RUNS = "Failed checks have started fewer runs on the pull request than `checks.most_runs`."
NOTHING_ELSE_HERE = "No other run works on this commit or pull request."
ROOM = "Fewer automatic runs are under way in the repository than `checks.at_once`."

PULL_IS_OPEN = "The pull request is open."
PROOFS_ON = "Proofs are on (`proof.on`, `FIXPOINT_PROOFS`)."
PROOF_LABEL = "The pull request has the label in `proof.label`, where `proof.on` is `labelled`."
PROOF_AUTHOR = "Its author matches `proof.authors`, or it has the label."
PROOF_DRAFT = "It is no draft, or it has the label."
IS_A_FIX = (
    "It fixes something: it closes an issue, says so in its title, or changes tests and source."
)

NOT_LOCKED = "The conversation isn't locked."
MAY_ASK = "The person may start runs (`who.permission`, `who.users`)."
NO_ACTIVE_RUN = "No run is under way in this conversation."
BUDGET_LEFT = (
    "The last run didn't spend its budget, or the person may approve more (`who.approve`)."
)
