"""The planner: many plans that ask questions, one executor that answers each different question once.

A *plan* is a generator that yields lists of questions and is sent their answers; what it returns is its result. A plan
computes nothing dear itself, so a batch of plans can be run together: equal questions of different plans are computed
once, and a plan goes on as soon as its own answers are there. There is no barrier between phases, and the result of
each plan is exactly what it would be alone.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from autopu_core.errors import AutoPUError
from autopu_core.search.cache import Answer, AnswerCache, MemoryCache, NoCache
from autopu_core.search.executor import Executor, InlineExecutor, Outcome, Work

R = TypeVar("R")
K = TypeVar("K", bound=Hashable)

_POLL_SECONDS = 0.2
_GROUP_SECONDS = 0.05  # short questions travel together until their expected cost reaches this
_GROUP_MOST = 32
_CALL_ALLOWANCE = 30.0
_READY_PER_WORKER = 12  # questions in the queue beyond which no further plan is begun


class Question(Protocol):
    """Something dear to compute that is fully described by its key."""

    @property
    def key(self) -> str:
        """Hex digest over everything that determines the answer."""
        ...

    @property
    def kind(self) -> str:
        """What its cost depends on most, e.g. the name of a classifier."""
        ...

    @property
    def size(self) -> int:
        """What its cost grows with, e.g. the number of rows learned from."""
        ...

    def work(self) -> Work:
        """A picklable call that returns a float64 array (n,)."""
        ...

    def refusal(self) -> str | None:
        """Why it is not to be computed at all, or None."""
        ...


Plan = Generator[list[Question], list[Answer], R]


@dataclass
class Cost:
    """What one plan asked for.

    Attributes:
        fits_naive: questions, each counted every time it was asked.
        fits_computed: questions that a worker had to compute, counted with the plan that asked first.
        new: short keys that no plan of the run had asked before.
        cpu_seconds: CPU seconds of the `new` ones, computed or reused.
        cpu_seconds_naive: CPU seconds of all, each counted every time it was asked.
    """

    fits_naive: int = 0
    fits_computed: int = 0
    new: list[str] = field(default_factory=list)
    cpu_seconds: float = 0.0
    cpu_seconds_naive: float = 0.0

    def add(self, other: Cost) -> None:
        """Add the cost of another plan to this one."""
        self.fits_naive += other.fits_naive
        self.fits_computed += other.fits_computed
        self.new.extend(other.new)
        self.cpu_seconds += other.cpu_seconds
        self.cpu_seconds_naive += other.cpu_seconds_naive


class CostModel:
    """Expected CPU seconds of a question, from what similar ones took: mean by kind and power of two of the size."""

    _UNKNOWN = 0.05

    def __init__(self) -> None:
        self._sums: dict[tuple[str, int], tuple[float, int]] = {}

    def record(self, kind: str, size: int, seconds: float) -> None:
        """Learn what a question took."""
        bucket = (kind, size.bit_length())
        total, count = self._sums.get(bucket, (0.0, 0))
        self._sums[bucket] = (total + seconds, count + 1)

    def expect(self, kind: str, size: int) -> float:
        """Seconds that a question is expected to take; the nearest known size of the same kind, scaled."""
        bits = size.bit_length()
        known = [(abs(other - bits), other) for name, other in self._sums if name == kind]
        if not known:
            return self._UNKNOWN
        _, nearest = min(known)
        total, count = self._sums[kind, nearest]
        return total / count * 2.0 ** (bits - nearest)


class WorkFailedError(AutoPUError):
    """A piece of work that a run can't do without has failed; the message is the reason."""


def short_key(key: str) -> str:
    """The part of a key by which a journal remembers it: 64 bits, enough to count by."""
    return key[:16]


def run_alone(plan: Plan[R]) -> R:
    """The result of one plan, computed in this process without limits."""
    for _, result, _ in Planner(InlineExecutor()).run({0: plan}):
        return result
    raise RuntimeError("A plan ended without a result.")


class Planner:
    """Runs plans on an executor with a cache, and keeps account of the fits of one run.

    Args:
        executor: where questions are computed.
        cache: where answers are kept; by default in memory, or nowhere without `share`.
        share: compute equal questions once. Without it every question is computed each time it is asked.
        limit: an answer that took longer counts as timed out even when it comes from the cache, in seconds, or None.
        control: called several times a second while work goes on; it may raise to stop, or block to pause.

    Attributes:
        asked: short keys of the distinct questions of the run so far.
        in_work: what the executor has now: number -> (slot, question).
        lost: answers that a limit or a dead process prevented, by key; they aren't cached beyond the run.
    """

    def __init__(
        self,
        executor: Executor,
        cache: AnswerCache | None = None,
        *,
        share: bool = True,
        limit: float | None = None,
        control: Callable[[], None] = lambda: None,
    ) -> None:
        self.executor = executor
        self.cache = (MemoryCache() if share else NoCache()) if cache is None else cache
        self.share = share
        self.limit = limit
        self.control = control
        self.costs = CostModel()
        self.asked: set[str] = set()
        self.lost: dict[str, Answer] = {}
        self.in_work: dict[int, tuple[str, Question]] = {}
        self._numbers = 0

    def run(self, plans: Mapping[K, Plan[R]]) -> Iterator[tuple[K, R, Cost]]:
        """Run all plans together.

        Yields:
            (key of the plan, its result, its cost) as plans end, in no fixed order; results don't depend on the order.

        Raises:
            Whatever `control` raises. What was submitted is then abandoned.
        """
        batch = _Batch(self, plans)
        try:
            yield from batch.run()
        finally:
            if self.in_work:
                self.executor.abandon()
                self.in_work.clear()

    def call(self, work: Work) -> Any:
        """The value of one piece of work that is no question: computed by the executor while `control` is heard.

        Such work (a refit, a test with its references) holds a dozen fits, so it is allowed more than the limit of one.

        Raises:
            WorkFailedError: the work raised, died or took longer than `_CALL_ALLOWANCE` times the limit.
        """
        number = self.next_number()
        self.executor.submit([(number, work)], allowance=_CALL_ALLOWANCE)
        try:
            outcomes: dict[int, Outcome] = {}
            while number not in outcomes:
                self.control()
                outcomes.update(self.executor.collect(_POLL_SECONDS))
        except BaseException:
            self.executor.abandon()
            raise
        if outcomes[number].failure is not None:
            raise WorkFailedError(outcomes[number].failure)
        return outcomes[number].value

    def next_number(self) -> int:
        """A number that no piece of work of this planner had before."""
        self._numbers += 1
        return self._numbers


@dataclass
class _Waiting:
    """A plan that waits for `missing` more of its answers."""

    key: Any
    plan: Plan[Any]
    answers: list[Answer | None]
    missing: int
    cost: Cost


class _Batch:
    """The state of one `Planner.run`."""

    def __init__(self, planner: Planner, plans: Mapping[Any, Plan[Any]]) -> None:
        self.planner = planner
        self.waiting_plans = deque(plans.items())
        self.ready: list[tuple[float, int, str, Question]] = []
        self.waiters: dict[str, list[tuple[_Waiting, int]]] = {}
        self.done: list[tuple[Any, Any, Cost]] = []

    def run(self) -> Iterator[tuple[Any, Any, Cost]]:
        while self.waiting_plans or self.waiters:
            self.planner.control()
            yield from self._admit()
            self._dispatch()
            for number, outcome in self.planner.executor.collect(_POLL_SECONDS):
                self._settle(number, outcome)
            yield from self._take_done()

    def _admit(self) -> Iterator[tuple[Any, Any, Cost]]:
        """Begin plans in their order while the queue is short: enough work for every process, yet the first plans of a
        large batch end early, so that a search stopped midway has something to show. Those that the cache answers end
        at once, and between them `control` is heard too."""
        enough = _READY_PER_WORKER * self.planner.executor.workers
        while self.waiting_plans and len(self.ready) < enough:
            key, plan = self.waiting_plans.popleft()
            self._advance(key, plan, None, Cost())
            if self.done:
                yield from self._take_done()
                self.planner.control()

    def _take_done(self) -> list[tuple[Any, Any, Cost]]:
        done, self.done = self.done, []
        return done

    def _advance(self, key: Any, plan: Plan[Any], answers: list[Answer] | None, cost: Cost) -> None:
        """Send a plan its answers, again and again while the cache answers all that it asks."""
        while True:
            try:
                questions = next(plan) if answers is None else plan.send(answers)
            except StopIteration as stop:
                self.done.append((key, stop.value, cost))
                return
            waiting = _Waiting(key, plan, [None] * len(questions), 0, cost)
            for position, question in enumerate(questions):
                self._ask(question, waiting, position)
            if waiting.missing:
                return
            answers = [answer for answer in waiting.answers if answer is not None]

    def _ask(self, question: Question, waiting: _Waiting, position: int) -> None:
        planner, cost = self.planner, waiting.cost
        refusal = question.refusal()
        if refusal is not None:
            waiting.answers[position] = Answer(None, failure=refusal)
            return
        key = question.key
        cost.fits_naive += 1
        first = short_key(key) not in planner.asked
        if first:
            planner.asked.add(short_key(key))
            cost.new.append(short_key(key))
        answer = self._known(key)
        if answer is not None:
            waiting.answers[position] = answer
            cost.cpu_seconds += answer.cpu_seconds if first else 0.0
            cost.cpu_seconds_naive += answer.cpu_seconds
            return
        slot = key if planner.share else f"{key}/{planner.next_number()}"
        if slot not in self.waiters:
            self.waiters[slot] = []
            cost.fits_computed += 1
            expected = planner.costs.expect(question.kind, question.size)
            heapq.heappush(self.ready, (-expected, planner.next_number(), slot, question))
        self.waiters[slot].append((waiting, position))
        waiting.missing += 1

    def _known(self, key: str) -> Answer | None:
        answer = self.planner.lost.get(key) or self.planner.cache.get(key)
        limit = self.planner.limit
        if answer is not None and limit is not None and answer.cpu_seconds > limit:
            return Answer(None, f"stopped at the limit of {limit:g} s", True, limit)
        return answer

    def _dispatch(self) -> None:
        """Give every free slot work: the longest expected first, short ones in groups."""
        executor = self.planner.executor
        while self.ready and executor.free_slots() > 0:
            group: list[tuple[int, Work]] = []
            seconds = 0.0
            while self.ready and len(group) < _GROUP_MOST and seconds < _GROUP_SECONDS:
                expected, number, slot, question = heapq.heappop(self.ready)
                self.planner.in_work[number] = (slot, question)
                group.append((number, question.work()))
                seconds -= expected
            executor.submit(group)

    def _settle(self, number: int, outcome: Outcome) -> None:
        """File an outcome and wake the plans that waited for it."""
        slot, question = self.planner.in_work.pop(number)
        self.planner.costs.record(question.kind, question.size, outcome.cpu_seconds)
        answer = Answer(outcome.value, outcome.failure, outcome.timed_out, outcome.cpu_seconds)
        if outcome.failure is None or outcome.lasting:
            self.planner.cache.put(question.key, answer)
        elif self.planner.share:
            self.planner.lost[question.key] = answer  # what ran into a limit once isn't tried again in this run
        charged = False
        for waiting, position in self.waiters.pop(slot):
            if not charged and short_key(question.key) in waiting.cost.new:
                waiting.cost.cpu_seconds += answer.cpu_seconds
                charged = True
            waiting.cost.cpu_seconds_naive += answer.cpu_seconds
            waiting.answers[position] = answer
            waiting.missing -= 1
            if waiting.missing == 0:
                self._advance(waiting.key, waiting.plan, list(waiting.answers), waiting.cost)
