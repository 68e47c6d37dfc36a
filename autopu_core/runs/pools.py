"""One process pool for the runs that a process does one after the other: starting it takes seconds."""

from __future__ import annotations

from autopu_core.search.executor import PoolExecutor


class Pools:
    """Hands out a process pool, the same one as long as the same kind is asked for."""

    def __init__(self) -> None:
        self._kind: tuple[int, float | None] | None = None
        self._pool: PoolExecutor | None = None

    def __enter__(self) -> Pools:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def get(self, jobs: int, fit_limit: float | None) -> PoolExecutor:
        """A pool of `jobs` processes with this limit for a fit; the one of another kind is closed."""
        if self._pool is None or self._kind != (jobs, fit_limit):
            self.close()
            self._kind, self._pool = (jobs, fit_limit), PoolExecutor(jobs, fit_limit)
        return self._pool

    def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None
