"""A client for the observers."""

import pytest

from diagnose.transport.deadline import Deadline
from diagnose.transport.http import HttpClient


@pytest.fixture
def http():
    with HttpClient(timeout=5, deadline=Deadline(20)) as client:
        yield client
