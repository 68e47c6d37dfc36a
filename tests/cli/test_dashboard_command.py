"""How the dashboard is served: privately unless told otherwise, and whatever a user's own configuration says."""

from __future__ import annotations

import socket

import pytest
from typer.testing import CliRunner

from autopu_core.cli import app
from autopu_core.cli.dashboard import is_loopback, server_command
from autopu_core.errors import AutoPUError


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("AUTOPU_HOME", str(tmp_path))


@pytest.fixture
def served(monkeypatch) -> list[list[str]]:
    """Commands that would have become the server."""
    commands: list[list[str]] = []
    monkeypatch.setattr("autopu_core.cli.dashboard._become", commands.append)
    return commands


def test_it_listens_on_this_computer_only(served) -> None:
    result = CliRunner().invoke(app, ["dashboard", "--no-browser"])
    assert result.exit_code == 0
    assert "--server.address=127.0.0.1" in served[0]
    assert "--server.headless=true" in served[0]
    assert "Careful" not in result.output


def test_autopu_alone_opens_it(served) -> None:
    assert CliRunner().invoke(app, []).exit_code == 0
    assert "--server.headless=false" in served[0]


def test_an_address_that_others_reach_is_warned_of(served) -> None:
    result = CliRunner().invoke(app, ["dashboard", "--host", "0.0.0.0", "--no-browser"])
    assert "without a password" in result.output
    assert not any("allowedHosts" in flag for flag in served[0])


def test_a_port_in_use_is_told_in_a_sentence(served) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = CliRunner().invoke(app, ["dashboard", "--port", str(taken.getsockname()[1])])
    assert isinstance(result.exception, AutoPUError)
    assert "--port" in str(result.exception)
    assert served == []


def test_nothing_is_sent_anywhere() -> None:
    command = server_command("127.0.0.1", 8501, browser=False)
    for flag in (
        "--browser.gatherUsageStats=false",
        "--server.enableXsrfProtection=true",
        "--server.enableCORS=true",
        "--client.showErrorDetails=none",
        "--server.allowedHosts=127.0.0.1",
    ):
        assert flag in command


@pytest.mark.parametrize(
    ("host", "private"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("192.168.1.5", False),
        ("my-computer", False),
    ],
)
def test_which_addresses_are_private(host: str, private: bool) -> None:
    assert is_loopback(host) is private
