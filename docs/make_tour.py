"""Walk through the dashboard as a clinician would, and save a picture of each page for the README.

    python docs/make_tour.py

Serves the dashboard on a data folder that is deleted afterwards, takes the breast cancer sample, hides 40% of its
positives, lets three optimisers search on three folds, and scores a file of new patients. It takes some minutes, and
needs Chromium (or Chrome) and the packages of the extra `test`.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pandas as pd
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from autopu_core.runs import RunRecord, Store
from sample_data import sample_path

PICTURES = Path(__file__).parent / "tour"
WIDTH, HEIGHT = 1440, 900
_CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_SEARCHES_WITHIN = 1800.0  # seconds
_NEW_PATIENTS = 60


class Walk:
    """One visit to a served dashboard."""

    def __init__(self, page: Page, address: str, pictures: Path) -> None:
        self.page, self.address, self.pictures = page, address, pictures
        page.set_default_timeout(60_000)

    def settle(self) -> None:
        """Wait until the page has been drawn."""
        self.page.wait_for_timeout(300)
        self.page.wait_for_selector("[data-testid='stApp'][data-test-script-state='notRunning']")
        self.page.wait_for_timeout(900)  # charts are drawn, and fade in, after the script

    def click(self, name: str) -> None:
        """Press a button."""
        self.page.get_by_role("button", name=name, exact=True).first.click()
        self.settle()

    def tick(self, text: str) -> None:
        """Choose what a text belongs to."""
        self.page.get_by_text(text).first.click()
        self.settle()

    def enter(self, label: str, value: str) -> None:
        """Type a number."""
        field = self.page.get_by_label(label, exact=True)
        field.fill(value)
        field.press("Enter")
        self.settle()

    def tab(self, name: str) -> None:
        """Turn to a tab."""
        self.page.get_by_role("tab", name=name).click()
        self.settle()

    def picture(self, name: str, most: int = HEIGHT) -> None:
        """Save what the window shows, as high as the page needs and at most `most` pixels."""
        content = self.page.locator("[data-testid=stMainBlockContainer]")
        self.page.mouse.move(WIDTH - 5, 5)
        needed = content.evaluate("element => element.scrollHeight")
        self.page.set_viewport_size({"width": WIDTH, "height": max(HEIGHT, min(most, needed))})
        self.settle()
        self.page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
        file = self.pictures / f"{name}.png"
        image = Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")  # opaque, and packed better than by the
        image.save(file, optimize=True)  # browser, it takes half the space
        print(f"{file.name}: {image.width} x {image.height}, {file.stat().st_size / 1000:.0f} kB")
        self.page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
        self.settle()


def prepare(walk: Walk) -> None:
    """Data, PU set-up and Search, up to the start."""
    walk.page.goto(walk.address)
    walk.page.get_by_role("button", name="Use this").first.click()
    walk.page.get_by_text("569 rows").first.wait_for()
    walk.settle()
    walk.picture("data", 1400)
    walk.click("On to PU set-up")
    walk.click("40%")
    walk.tick("Several times, on every row once")
    slider = walk.page.get_by_role("slider").last
    slider.press("ArrowLeft")
    slider.press("ArrowLeft")
    walk.settle()
    walk.picture("pu_setup", 1300)
    walk.click("On to Search")
    walk.page.get_by_text("searches for each optimiser").first.wait_for()
    for optimizer in ("Genetic algorithm (GA)", "Bayesian optimisation (BO)"):
        walk.tick(optimizer)
    walk.picture("search", 1400)
    walk.tick("Advanced settings")  # a smaller budget than that of the picture, so that nobody waits for long
    walk.enter("Configurations at the start", "12")
    walk.enter("Iterations", "6")
    walk.click("Start")
    walk.page.get_by_text("Runs shown").first.wait_for()


def search(walk: Walk, home: Path) -> None:
    """Live while it happens, then until all is done."""
    taken, deadline = False, time.monotonic() + _SEARCHES_WITHIN
    with Store(home) as store:
        while time.monotonic() < deadline:
            records = store.runs()
            if {record.status for record in records} == {"finished"}:
                break
            if failed := [record for record in records if record.status in ("failed", "interrupted")]:
                raise RuntimeError(f"A run ended without a result: {failed[0].error}")
            done = [record for record in records if record.status == "finished"]
            if not taken and len(done) == 1 and any(_share(record) > 0.3 for record in records if record not in done):
                walk.picture("live", 1200)  # one has finished, one is at work and one waits
                taken = True
            walk.page.wait_for_timeout(500)
        else:
            raise RuntimeError("The searches took too long.")
    walk.settle()


def _share(record: RunRecord) -> float:
    """How much of a run's work is done, 0 to 1."""
    return record.progress.get("assessments_in_all", 0) / max(1, record.progress.get("planned_in_all", 0))


def results(walk: Walk, new_patients: Path) -> None:
    """Compare, Export and Predict."""
    walk.click("On to Compare")
    walk.page.get_by_text("Runs to compare").first.wait_for()
    walk.settle()
    walk.picture("compare", 1500)
    walk.tab("ROC and calls")
    walk.picture("compare_roc", 1300)
    walk.click("On to Export")
    walk.page.get_by_role("tab", name="Another pipeline").wait_for()
    walk.settle()
    walk.picture("export")
    walk.click("On to Predict")
    walk.page.locator("input[type=file]").set_input_files(new_patients)
    walk.page.get_by_text("Called positive").first.wait_for()
    walk.settle()
    walk.picture("predict", 1000)


def write_new_patients(file: Path) -> Path:
    """Some rows of the sample without their diagnosis."""
    rows = pd.read_csv(sample_path("breast_cancer_wisconsin")).drop(columns="diagnosis")
    rows.sample(_NEW_PATIENTS, random_state=0).to_csv(file, index=False)
    return file


# -- the server and the browser -------------------------------------------------------------------------------------


@contextmanager
def served(home: Path) -> Iterator[str]:
    """Serve the dashboard on a data folder; yields its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "autopu_core.cli", "dashboard", "--no-browser", "--port", str(port)]
    process = subprocess.Popen(command, env={**os.environ, "AUTOPU_HOME": str(home)}, stdout=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}/"
    try:
        for _ in range(300):
            with suppress(OSError), urllib.request.urlopen(f"{address}_stcore/health", timeout=5):
                break
            time.sleep(0.2)
        else:
            raise RuntimeError("The dashboard didn't start.")
        yield address
    finally:
        process.kill()
        process.wait()
        with Store(home) as store:
            for worker in store.live_workers(max_age=3600.0):
                with suppress(ProcessLookupError):
                    os.kill(worker.pid, signal.SIGTERM)


@contextmanager
def browser() -> Iterator[Browser]:
    """The system's Chromium."""
    found = next((path for name in _CHROMIUMS if (path := shutil.which(name))), None)
    if found is None:
        raise SystemExit("No Chromium or Chrome is installed.")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        yield launched
        launched.close()


def main() -> None:
    """Take all pictures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=PICTURES, help="folder for the pictures")
    parser.add_argument("--theme", choices=["light", "dark"], default="light")
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        with served(home) as address, browser() as chromium:
            context = chromium.new_context(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=given.theme)
            walk = Walk(context.new_page(), address, given.output)
            prepare(walk)
            search(walk, home)
            results(walk, write_new_patients(home / "new_patients.csv"))


if __name__ == "__main__":
    main()
