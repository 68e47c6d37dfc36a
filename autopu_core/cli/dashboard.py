"""`autopu dashboard`, which is also what `autopu` alone does: the browser face, served by a process of its own."""

from __future__ import annotations

import importlib.util
import ipaddress
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from autopu_core.cli.output import err, out
from autopu_core.errors import AutoPUError
from autopu_core.runs.store import Store

MAX_UPLOAD_MB = 200
DEFAULT_PORT = 8501
_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")

# One accent that is readable on both backgrounds, and calm greys.
_LIGHT = {"primaryColor": "#0072B2", "secondaryBackgroundColor": "#F4F6F8", "textColor": "#1F2933"}
_HEADING_SIZES = '["1.9rem", "1.5rem", "1.25rem", "1.1rem", "1rem", "1rem"]'
_DARK = {"primaryColor": "#3D9BD1", "backgroundColor": "#14181D", "secondaryBackgroundColor": "#1D232A"}


def register(app: typer.Typer) -> None:
    """Add the command, and make it what `autopu` alone does."""
    app.command()(dashboard)
    app.callback(invoke_without_command=True)(without_command)


def without_command(context: typer.Context) -> None:
    """Finds the best learner for a clinical table whose labels may be incomplete."""
    if context.invoked_subcommand is None:
        dashboard()


def dashboard(
    port: Annotated[int | None, typer.Option(metavar="N", help="Port; by default 8501, or the next free one.")] = None,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Address to listen on.")] = "127.0.0.1",
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
) -> None:
    """Open the dashboard in a browser; Ctrl+C ends it, searches go on."""
    Store().close()  # a data folder that can't be used is told here, in a sentence
    port = _free_port(host, port)
    if not is_loopback(host):
        err.print(
            f"Careful: whoever can reach {host} on port {port} sees all tables and runs, without a password.",
            markup=False,
        )
    out.print(f"Auto-PU Dashboard: http://{_in_address(host)}:{port} (Ctrl+C ends it; searches go on)", markup=False)
    _become(server_command(host, port, browser))


def server_command(host: str, port: int, browser: bool) -> list[str]:
    """The command that serves the dashboard, complete: a user's own Streamlit configuration has no say in it."""
    options = {
        "server.address": host,
        "server.port": port,
        "server.headless": not browser,
        "server.enableXsrfProtection": True,
        "server.enableCORS": True,
        "server.maxUploadSize": MAX_UPLOAD_MB,
        "server.fileWatcherType": "none",
        "server.runOnSave": False,
        "server.showEmailPrompt": False,
        "browser.serverAddress": _in_address(host),
        "browser.gatherUsageStats": False,
        "client.showErrorDetails": "none",
        "client.showErrorLinks": False,
        "client.toolbarMode": "viewer",
        "logger.level": "warning",
        "theme.headingFontSizes": _HEADING_SIZES,
        "theme.metricValueFontSize": "1.5rem",
        "theme.paddingTop": "2.5rem",
        "theme.paddingBottom": "3rem",
        **{f"theme.light.{name}": value for name, value in _LIGHT.items()},
        **{f"theme.dark.{name}": value for name, value in _DARK.items()},
    }
    flags = [f"--{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in options.items()]
    if is_loopback(host):
        # A foreign page that makes its own name point here is refused.
        flags += [f"--server.allowedHosts={name}" for name in _LOOPBACK_NAMES]
    return [sys.executable, "-m", "streamlit", "run", str(_app_file()), *flags]


def is_loopback(host: str) -> bool:
    """Whether an address can only be reached from this computer."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _become(command: list[str]) -> None:
    """Run a command in place of this process, so that whoever ends this one ends the server."""
    sys.stdout.flush()
    if os.name == "posix":
        os.execv(command[0], command)
    try:
        code = subprocess.call(command)
    except KeyboardInterrupt:
        code = 0
    sys.exit(code)


def _app_file() -> Path:
    package = importlib.util.find_spec("dashboard")
    folders = list(package.submodule_search_locations or ()) if package else []
    if not folders:
        raise AutoPUError("The dashboard isn't installed; install the project again with pip.")
    return Path(folders[0]) / "entry" / "serve.py"


def _in_address(host: str) -> str:
    if host in ("0.0.0.0", "::"):  # every address of this computer; the browser here takes the nearest
        return "localhost"
    return f"[{host}]" if ":" in host else host


def _free_port(host: str, wanted: int | None) -> int:
    """The wanted port; without one, the first free one from 8501 on.

    Raises:
        AutoPUError: the wanted port, or all twenty, are taken, or the address isn't this computer's.
    """
    tried = [wanted] if wanted is not None else list(range(DEFAULT_PORT, DEFAULT_PORT + 20))
    for port in tried:
        try:
            with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET):
                return port
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
    raise AutoPUError(f"The dashboard can't listen on {host} port {tried[-1]} ({reason}); choose another with --port.")
