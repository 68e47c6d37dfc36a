"""A real server on a free port with a data folder of its own, and a real Chromium that visits it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from autopu_core.runs import Store

_CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_SWITCHES = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
_STARTS_WITHIN = 90.0
WAIT_MS = 60_000


class Server:
    """The dashboard as `autopu dashboard` serves it.

    Attributes:
        home: its data folder.
        port: on the loopback address; the same after a restart.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self._process: subprocess.Popen | None = None

    def start(self) -> None:
        """Start it and wait until it answers."""
        command = [sys.executable, "-m", "autopu_core.cli", "dashboard", "--no-browser", "--port", str(self.port)]
        environment = {**os.environ, "AUTOPU_HOME": str(self.home), "OMP_NUM_THREADS": "1"}
        with open(self.home / "server.log", "ab") as log:
            self._process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        deadline = time.monotonic() + _STARTS_WITHIN
        while time.monotonic() < deadline and self._process.poll() is None:
            with suppress(OSError), urllib.request.urlopen(self.address("_stcore/health"), timeout=5):
                return
            time.sleep(0.2)
        raise RuntimeError(f"The server didn't start: {(self.home / 'server.log').read_text()}")

    def stop(self) -> None:
        """End it at once; workers go on."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def stop_workers(self) -> None:
        """End the workers of this data folder."""
        with self.store() as store:
            for worker in store.live_workers(max_age=3600.0):
                with suppress(ProcessLookupError):
                    os.kill(worker.pid, signal.SIGTERM)

    def store(self) -> Store:
        """The store that it serves, opened by this process, too."""
        return Store(self.home)

    def address(self, page: str = "") -> str:
        """Address of a page."""
        return f"http://127.0.0.1:{self.port}/{page}"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A running server for the tests of one file."""
    if chromium() is None:
        pytest.skip("No Chromium is installed.")
    served = Server(tmp_path_factory.mktemp("home"))
    served.start()
    yield served
    served.stop()
    served.stop_workers()


def chromium() -> str | None:
    """Path of the system's Chromium."""
    return next((found for name in _CHROMIUMS if (found := shutil.which(name))), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests; each test gets a context, and so a profile, of its own."""
    path = chromium()
    if path is None:
        pytest.skip("No Chromium is installed.")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=list(_SWITCHES))
        yield launched
        launched.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A laptop's window. Whatever it does, it must ask nobody but the server."""
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    visited = context.new_page()
    visited.set_default_timeout(WAIT_MS)
    expect.set_options(timeout=WAIT_MS)
    asked: set[str] = set()
    visited.on("request", lambda request: asked.add(urlsplit(request.url).hostname or ""))
    yield visited
    context.close()
    assert asked <= {"", "127.0.0.1"}, f"The page asked other hosts: {asked}"


class Person:
    """What somebody does on the pages, and reads there."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def wait(self) -> None:
        """Until the script has run, whatever it was."""
        self.page.wait_for_timeout(150)
        self.page.wait_for_selector("[data-testid='stApp'][data-test-script-state='notRunning']")

    def upload(self, file: Path) -> None:
        """Give the page a file."""
        self.page.locator("input[type=file]").set_input_files(str(file))

    def choose(self, label: str, option: str) -> None:
        """Choose an option of a select box, by typing: a long list only shows a part of itself."""
        self.page.get_by_role("combobox", name=label).fill(option)
        self.page.get_by_role("option", name=option, exact=True).first.click()
        self.wait()

    def chosen(self, label: str) -> str:
        """What a select box shows."""
        return self.page.get_by_role("combobox", name=label).input_value()

    def click(self, name: str) -> None:
        """Press a button and wait for what it does."""
        self.page.get_by_role("button", name=name, exact=True).first.click()
        self.wait()

    def enter(self, label: str, value: str) -> None:
        """Type a number."""
        field = self.page.get_by_label(label, exact=True)
        field.fill(value)
        field.press("Enter")
        self.wait()

    def go_to(self, step: str) -> None:
        """Turn to a page by the path on the left."""
        self.page.get_by_role("link", name=step).click()
        expect(self.page.get_by_role("heading", level=1, name=step.partition(". ")[2])).to_be_visible()
        self.wait()

    def sees(self, text: str) -> None:
        """It is somewhere on the page, now or soon."""
        expect(self.page.get_by_text(text).first).to_be_visible()

    def error(self) -> str:
        """The one error on the page."""
        shown = self.page.locator("[data-testid=stAlertContentError]")
        expect(shown).to_have_count(1)
        assert "Traceback" not in self.page.inner_text("body")
        return shown.locator("p").inner_text()


@pytest.fixture
def person(page: Page) -> Person:
    """Somebody in front of the laptop."""
    return Person(page)
