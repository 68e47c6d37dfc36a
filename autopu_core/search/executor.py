"""Where work is computed: a process pool whose limits hold, or the calling process.

A limit holds even inside C code: before each piece of work the worker arms `faulthandler.dump_traceback_later(limit,
exit=True)`, a C thread that leaves a mark and ends the process. The parent sees the pool break, rebuilds it, settles
the overdue piece and resubmits the innocent. A death without such a mark (memory, a crash in C) makes everything that
was at work a suspect: each is retried once, alone, and recorded as dead if that breaks the pool again.
"""

from __future__ import annotations

import faulthandler
import os
import struct
import tempfile
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from loky import ProcessPoolExecutor
from threadpoolctl import ThreadpoolController

from autopu_core.errors import AutoPUError

Work = Callable[[], Any]
"""A picklable call without arguments; an exception it raises is a result too."""

_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
SINGLE_THREAD = dict.fromkeys(_THREAD_VARIABLES, "1")
_NOTE = struct.Struct("<q")
_IDLE = -1
_OVERDUE = ".overdue"  # ending of the file that is not empty once a process was ended by its limit


@dataclass(frozen=True)
class Outcome:
    """What became of one piece of work.

    Attributes:
        value: what the work returned; None unless it ended well.
        failure: why there is no value, in words; None if it ended well.
        timed_out: the failure is that it passed its limit.
        lasting: the same work would fail again in the same way, so the failure may be remembered.
        cpu_seconds: CPU time of the worker for this piece.
    """

    value: Any = None
    failure: str | None = None
    timed_out: bool = False
    lasting: bool = False
    cpu_seconds: float = 0.0


class Executor(Protocol):
    """Takes groups of numbered work and hands back outcomes in the order in which they end."""

    workers: int

    def free_slots(self) -> int:
        """How many more groups it can take without queueing needlessly."""
        ...

    def submit(self, group: Sequence[tuple[int, Work]], allowance: float = 1.0) -> None:
        """Start a group of (number, work); the pieces run one after the other in one process.

        Args:
            group: the pieces.
            allowance: how many times the limit each of them may take; more than 1 for work that holds several fits.
        """
        ...

    def collect(self, timeout: float) -> list[tuple[int, Outcome]]:
        """Outcomes that are there, waiting at most `timeout` seconds for the first."""
        ...

    def abandon(self) -> None:
        """Forget everything submitted, killing what runs; the executor can be used again."""
        ...

    def close(self) -> None:
        """End all processes."""
        ...


# -- what runs in a worker ------------------------------------------------------------------------------------------


def perform(work: Work) -> Outcome:
    """Compute one piece in this process with one BLAS/OpenMP thread and tell how it went."""
    began = time.process_time()
    try:
        with warnings.catch_warnings(), single_threaded():
            warnings.simplefilter("ignore")  # convergence warnings: a weak candidate is a score, not a message
            value = work()
    except Exception as error:
        # Whatever a learner raises is the recorded outcome of this candidate, not the end of the search.
        failure = str(error) if isinstance(error, AutoPUError) else f"{type(error).__name__}: {error}"
        failure = failure.strip().partition("\n")[0]
        lasting = not isinstance(error, (MemoryError, OSError))
        return Outcome(failure=failure, lasting=lasting, cpu_seconds=time.process_time() - began)
    return Outcome(value=value, cpu_seconds=time.process_time() - began)


def single_threaded():
    """Context in which BLAS and OpenMP use one thread, as everywhere in a search."""
    return _threads().limit(limits=1)


_controller: ThreadpoolController | None = None


def _threads() -> ThreadpoolController:
    global _controller
    if _controller is None:
        import sklearn.ensemble  # noqa: F401  the controller only knows libraries that are loaded

        _controller = ThreadpoolController()
    return _controller


def _prepare_worker(parent: int) -> None:
    """End this process soon after the one that it works for, should that be killed."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    if os.name != "nt":
        threading.Thread(target=watch, daemon=True).start()


def _perform_group(group: Sequence[tuple[int, Work]], limit: float | None, notes: str) -> list[tuple[int, Outcome]]:
    outcomes = []
    _threads()  # imports are not part of a fit's time
    note_path = Path(notes) / str(os.getpid())
    with open(note_path, "wb", buffering=0) as note, open(note_path.with_suffix(_OVERDUE), "wb") as overdue:
        for number, work in group:
            _write_note(note.fileno(), number)
            if limit is not None:
                faulthandler.dump_traceback_later(limit, exit=True, file=overdue)
            try:
                outcomes.append((number, perform(work)))
            finally:
                faulthandler.cancel_dump_traceback_later()
        _write_note(note.fileno(), _IDLE)
    return outcomes


def _write_note(descriptor: int, number: int) -> None:
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.write(descriptor, _NOTE.pack(number))


# -- executors ------------------------------------------------------------------------------------------------------


class InlineExecutor:
    """Computes in the calling process, one piece for each `collect`; has no limits. For one process, and for tests."""

    workers = 1

    def __init__(self) -> None:
        self._queue: deque[tuple[int, Work]] = deque()

    def free_slots(self) -> int:
        return 0 if self._queue else 1

    def submit(self, group: Sequence[tuple[int, Work]], allowance: float = 1.0) -> None:
        self._queue.extend(group)

    def collect(self, timeout: float) -> list[tuple[int, Outcome]]:
        if not self._queue:
            return []
        number, work = self._queue.popleft()
        return [(number, perform(work))]

    def abandon(self) -> None:
        self._queue.clear()

    def close(self) -> None:
        self.abandon()


@dataclass(frozen=True)
class _Group:
    """Pieces of work that travel together, and the seconds that each may take."""

    pieces: tuple[tuple[int, Work], ...]
    limit: float | None

    def apart(self) -> list[_Group]:
        """The same pieces, each on its own."""
        return [_Group((piece,), self.limit) for piece in self.pieces]


class PoolExecutor:
    """A loky process pool that outlives the death of its workers.

    Args:
        workers: processes; -1 means one per core that this process may use.
        limit: seconds that one piece of work may take, or None.
        scratch: folder for the workers' notes; a temporary one by default.
    """

    def __init__(self, workers: int = -1, limit: float | None = None, scratch: Path | None = None) -> None:
        self.workers = available_cores() if workers == -1 else workers
        self.limit = limit
        self._notes = tempfile.TemporaryDirectory(prefix="notes-", dir=scratch)
        self._pool: ProcessPoolExecutor | None = None
        self._running: dict[Future, _Group] = {}
        self._backlog: deque[_Group] = deque()
        self._suspects: deque[_Group] = deque()
        self._struck: set[int] = set()
        self._finished: list[tuple[int, Outcome]] = []

    def free_slots(self) -> int:
        # One group waits behind each running one, so that no process idles while the parent thinks.
        busy = len(self._running) + len(self._backlog) + len(self._suspects)
        return max(0, 2 * self.workers - busy)

    def submit(self, group: Sequence[tuple[int, Work]], allowance: float = 1.0) -> None:
        limit = None if self.limit is None else self.limit * allowance
        self._backlog.append(_Group(tuple(group), limit))
        self._start()

    def collect(self, timeout: float) -> list[tuple[int, Outcome]]:
        self._start()
        if self._running and not self._finished:
            done, _ = wait(self._running, timeout=timeout, return_when=FIRST_COMPLETED)
            broken = False
            for future in done:
                broken |= not self._take(future)
            if broken:
                self._recover()
        finished, self._finished = self._finished, []
        self._start()
        return finished

    def abandon(self) -> None:
        self._kill()
        self._read_notes()
        self._running.clear()
        self._backlog.clear()
        self._suspects.clear()
        self._struck.clear()
        self._finished.clear()

    def close(self) -> None:
        if Path(self._notes.name).exists():
            self.abandon()
            self._notes.cleanup()

    # -- inside -----------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        try:
            if self._suspects or self._suspect_runs():
                if not self._running:  # alone, so that a second death has one culprit
                    self._launch(self._suspects)
                return
            while self._backlog and len(self._running) < 2 * self.workers:
                self._launch(self._backlog)
        except BrokenProcessPool:
            self._recover()

    def _suspect_runs(self) -> bool:
        return any(number in self._struck for group in self._running.values() for number, _ in group.pieces)

    def _launch(self, queue: deque[_Group]) -> None:
        """Send the first group of a queue; it stays in the queue if the pool turns out to be broken."""
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                max_workers=self.workers,
                env=SINGLE_THREAD,
                timeout=None,
                initializer=_prepare_worker,
                initargs=(os.getpid(),),
            )
        group = queue[0]
        future = self._pool.submit(_perform_group, group.pieces, group.limit, self._notes.name)
        self._running[future] = queue.popleft()

    def _take(self, future: Future) -> bool:
        """Keep a finished group's outcomes; False if the pool broke under it."""
        try:
            outcomes = future.result()
        except BrokenProcessPool:
            return False
        except Exception as error:
            # Something couldn't be sent, or its answer couldn't be: find out which piece, and tell it of that one.
            group = self._running.pop(future)
            if len(group.pieces) > 1:
                self._backlog.extendleft(group.apart())
                return True
            outcomes = [(number, Outcome(failure=f"{type(error).__name__}: {error}")) for number, _ in group.pieces]
        else:
            del self._running[future]
        self._finished.extend(outcomes)
        return True

    def _recover(self) -> None:
        """After a worker's death: rebuild the pool, settle the overdue, retry suspects alone, resubmit the innocent."""
        for future in [future for future in self._running if future.done()]:
            self._take(future)
        lost = {group.pieces[0][0]: group for whole in self._running.values() for group in whole.apart()}
        self._running.clear()
        self._kill()
        at_work, overdue = self._read_notes()
        at_work &= lost.keys()
        overdue &= lost.keys()
        # Without a note the pool broke between pieces, e.g. over one that can't be unpickled: it may be any of them.
        suspects = set() if overdue else at_work or set(lost)
        for number, group in lost.items():
            if number in overdue:
                failure = f"stopped at the limit of {group.limit:g} s"
                outcome = Outcome(failure=failure, timed_out=True, cpu_seconds=group.limit)
                self._finished.append((number, outcome))
            elif number not in suspects:
                self._backlog.appendleft(group)
            elif number in self._struck:
                failure = "the process that computed it died twice (most likely it needed more memory than there is)"
                self._finished.append((number, Outcome(failure=failure)))
            else:
                self._struck.add(number)
                self._suspects.append(group)

    def _read_notes(self) -> tuple[set[int], set[int]]:
        """Numbers of the pieces at work when the pool broke, and of those among them whose process the limit ended;
        what the dead processes left is swept."""
        at_work, overdue = set(), set()
        left = {path: path.read_bytes() for path in Path(self._notes.name).iterdir()}
        for path, content in left.items():
            if path.suffix != _OVERDUE and len(content) == _NOTE.size:
                (number,) = _NOTE.unpack(content)
                at_work.add(number)
                if left.get(path.with_suffix(_OVERDUE)):
                    overdue.add(number)
            path.unlink()
        return at_work, overdue

    def _kill(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, kill_workers=True)
            self._pool = None


def available_cores() -> int:
    """Cores that this process may use (containers and task sets are respected)."""
    from joblib import cpu_count

    return cpu_count()
