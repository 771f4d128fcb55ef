"""Reads /metrics in both formats with the parsers of prometheus_client, and prints the samples of each as one JSON document.

Usage: with_prometheus_client.py URL TOKEN
"""

import json
import sys
import urllib.request

from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_text

url, token = sys.argv[1:]


def read(accept, parse):
    request = urllib.request.Request(url, headers={"X-Admin-Token": token, "Accept": accept})
    with urllib.request.urlopen(request, timeout=60) as answer:
        families = list(parse(answer.read().decode()))
    samples = [[sample.name, sample.labels] for family in families for sample in family.samples]
    return sorted(samples, key=json.dumps)


print(
    json.dumps(
        [
            read("application/openmetrics-text; version=1.0.0", parse_openmetrics),
            read("text/plain; version=0.0.4", parse_text),
        ],
        sort_keys=True,
    )
)
