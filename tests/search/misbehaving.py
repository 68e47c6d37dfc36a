"""Work for executors that ends in every way but the good one."""

import os
import time


def square(number):
    return number * number


def loop_in_c():
    """Minutes inside one C call, which no signal handler interrupts."""
    return pow(3, 10**9)


def die():
    os._exit(3)


def fail(text):
    raise ValueError(text)


def nap(seconds):
    time.sleep(seconds)
    return seconds


def threads():
    """The most threads that a BLAS or OpenMP library would use here."""
    import sklearn.ensemble  # noqa: F401
    from threadpoolctl import threadpool_info

    return max(library["num_threads"] for library in threadpool_info())
