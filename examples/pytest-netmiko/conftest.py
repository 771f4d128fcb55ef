"""A simulated router for each test that asks for one."""

import json
import subprocess
import urllib.request
from urllib.parse import urlsplit

import pytest


class Router:
    """A running router: where it is, its credentials, and its control API."""

    def __init__(self, line):
        self.port = urlsplit(line["url"]).port
        self.user, self.password, self.enable = line["user"], line["password"], line["enablePassword"]
        self._control = line["control"]

    def post(self, path, body):
        """Sends JSON to the control API, such as a flow to `/flows` or a fault to `/faults`."""
        request = urllib.request.Request(
            self._control + path, json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request) as answer:
            return answer.read()


@pytest.fixture
def router():
    command = ["node_modules/.bin/gatehouse-simulators", "vendor_b", "--port", "0", "--control-port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        yield Router(json.loads(process.stdout.readline()))
        process.terminate()
