"""Actions around the work: check-out, caches, artifacts, reports, publishing."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from bot.ci.workflow.actions.effect import Act, Effect, Inputs, done, not_needed, skipped
from bot.reporting.reasons import job_steps as effects

_STORES = (
    *(
        "re-actors/cache-python-deps",
        "actions/upload-artifact/merge",
        "gradle/wrapper-validation-action",
    ),
    *("actions/cache/save", "actions/upload-artifact", "actions/upload-pages-artifact"),
    *("swatinem/rust-cache", "mozilla-actions/sccache-action", "mtth/sccache", "ccache/ccache"),
    *("hendrikmuhs/ccache-action", "jetify-com/devbox-install-action", "tespkg/actions-cache"),
)
_REPORTS = (
    *("test-summary/action", "andremiras/coveralls-python-action", "pre-commit-ci/lite-action"),
    *("autofix-ci/action", "xt0rted/markdownlint-problem-matcher", "reviewdog/action-setup"),
    *(
        "pytest-dev/pytest-annotate",
        "stefanzweifel/git-auto-commit-action",
        "peter-evans/find-comment",
    ),
    *("codecov/codecov-action", "coverallsapp/github-action", "codecov/test-results-action"),
    *("codacy/codacy-coverage-reporter-action", "paambaati/codeclimate-action"),
    *(
        "dorny/test-reporter",
        "mikepenz/action-junit-report",
        "enricomi/publish-unit-test-result-action",
    ),
    *(
        "py-cov-action/python-coverage-comment-action",
        "codspeedhq/action",
        "marocchino/sticky-pull-request-comment",
    ),
    *("8398a7/action-slack", "slackapi/slack-github-action", "rtcamp/action-slack-notify"),
    *("peter-evans/create-or-update-comment", "thollander/actions-comment-pull-request"),
    *("actions/labeler", "actions/stale", "dessant/lock-threads", "actions/first-interaction"),
    *(
        "peter-evans/create-pull-request",
        "re-actors/alls-green",
    ),
    *("zzak/action-discord", "cbrgm/mastodon-github-action", "rickstaa/action-create-tag"),
    *("github/codeql-action/upload-sarif", "actions/attest", "actions/attest-sbom"),
    *("actions/attest-build-provenance", "benchmark-action/github-action-benchmark"),
    *("styfle/cancel-workflow-action", "step-security/harden-runner", "actions/add-to-project"),
    *(
        "jlumbroso/free-disk-space",
        "easimon/maximize-build-space",
        "insightsengineering/disk-space-reclaimer",
    ),
    *(
        "lukka/get-cmake",
        "ilammy/msvc-dev-cmd",
        "microsoft/setup-msbuild",
        "crazy-max/ghaction-dump-context",
    ),
)
_ANALYSES = (
    "ossf/scorecard-action",
    "sonarsource/sonarcloud-github-action",
    "sonarsource/sonarqube-scan-action",
    "github/codeql-action/init",
    "github/codeql-action/autobuild",
    "github/codeql-action/analyze",
    "actions/dependency-review-action",
    "aquasecurity/trivy-action",
    "google/oss-fuzz/infra/cifuzz",
)
_PUBLISHES = (
    *("pypa/gh-action-pypi-publish", "js-devtools/npm-publish", "softprops/action-gh-release"),
    *("actions/deploy-pages", "actions/configure-pages", "peaceiris/actions-gh-pages"),
    *("jamesives/github-pages-deploy-action", "actions/create-release", "ncipollo/release-action"),
    *("docker/login-action", "docker/build-push-action", "docker/metadata-action"),
    *("docker/setup-buildx-action", "docker/setup-qemu-action", "goreleaser/goreleaser-action"),
    *("google-github-actions/release-please-action", "googleapis/release-please-action"),
    *(
        "release-drafter/release-drafter",
        "changesets/action",
        "aws-actions/configure-aws-credentials",
    ),
    *(
        "google-github-actions/auth",
        "sigstore/gh-action-sigstore-python",
        "sigstore/cosign-installer",
    ),
)


def _checkout(inputs: Inputs) -> Effect:
    repository, folder = inputs.text("repository"), inputs.text("path").strip("/")
    if repository:
        return skipped(effects.checks_out_elsewhere(repository))
    script = []
    if folder not in {"", "."}:
        script.append(f"ci_place {shlex.quote(folder)}")
    if inputs.text("submodules", default="false").lower() != "false":
        script.append("ci_submodules")
    return done(effects.checked_out(inputs.text("ref")), "\n".join(script))


def _cache(_: Inputs) -> Effect:
    return not_needed(effects.CACHES_NOTHING, cache_hit="")


def _script(_: Inputs) -> Effect:
    return skipped(effects.CALLS_API)


def _paths_filter(_: Inputs) -> Effect:
    return skipped(effects.FILTERS_PATHS)


HOUSEKEEPING: Mapping[str, Act] = {
    "actions/checkout": _checkout,
    "actions/cache": _cache,
    "actions/cache/restore": _cache,
    "actions/github-script": _script,
    "dorny/paths-filter": _paths_filter,
    "tj-actions/changed-files": _paths_filter,
    **{name: lambda _: not_needed(effects.STORES_FILES) for name in _STORES},
    **{name: lambda _: not_needed(effects.REPORTS_RESULTS) for name in _REPORTS},
    **{name: lambda _: skipped(effects.ANALYSES_CODE) for name in _ANALYSES},
    **{name: lambda _: not_needed(effects.PUBLISHES) for name in _PUBLISHES},
}
"""By name in lower case."""
