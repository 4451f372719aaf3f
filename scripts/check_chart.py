# ruff: noqa: INP001 - a program of its own, in the environment of `make publishing-tools`
"""Check the Helm chart: Helm lints and renders it, Kubernetes' own schemas judge what comes out."""

from __future__ import annotations

import sys
from itertools import chain
from pathlib import Path
from typing import Any

import helm_python
import kubernetes_validate
import yaml

CHART = Path(__file__).parents[1] / "deploy" / "helm" / "fixpoint"
VERSIONS = ("1.33", "1.35")
"""Of Kubernetes; what bubblewrap's sandboxes need is beta in the first."""

IMAGE = {"repository": "registry.example.com/fixpoint"}
GOOD: tuple[dict[str, Any], ...] = (
    {"image": IMAGE},
    {
        "image": {**IMAGE, "tag": "edge"},
        "host": "fixpoint.example.com",
        "ingress": {"enabled": True, "className": "nginx", "tlsSecret": "tls"},
        "imagePullSecrets": [{"name": "pull"}],
        "settings": {"FIXPOINT_CONCURRENCY": "4"},
        "sandbox": "bubblewrap",
        "worker": {"replicas": 3},
    },
)
BAD: tuple[dict[str, Any], ...] = (
    {},
    {"image": IMAGE, "sandbox": "docker"},
    {"image": IMAGE, "settings": {"FIXPOINT_CONCURRENCY": 4}},
    {"image": IMAGE, "workers": {}},
    {"image": IMAGE, "ingress": {"enabled": True}},
)


def main() -> None:
    """Print what was rendered; end with an error if anything is wrong."""
    for values in GOOD:
        report = helm_python.lint(CHART, values, strict=True, kube_version="v1.33.0")
        problems = [item for item in report["messages"] if item["severity"] > 1]
        if problems or report["errors"]:
            sys.exit(f"{values}: {problems or report['errors']}")
        for document in rendered(values):
            for version in VERSIONS:
                kubernetes_validate.validate(document, version, strict=True)
            sys.stdout.write(f"{document['kind']} {document['metadata']['name']}\n")
    for values in BAD:
        try:
            rendered(values)
        except helm_python.HelmError:
            continue
        sys.exit(f"The chart takes {values}.")


def rendered(values: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the chart's documents for values, which its schema has to take."""
    with helm_python.Chart.load(CHART) as chart:
        chart.validate_schema(chart.merge_values(values))
        texts = chart.render(values, name="release", namespace="fixpoint").values()
    documents = chain.from_iterable(map(yaml.safe_load_all, texts))
    return [document for document in documents if document]


if __name__ == "__main__":
    main()
