"""The clock stops what loops, again and again, and nothing else."""

import signal
import threading
import time

import pytest

from clausewise.signals.runner.clock import SignalClock, SignalTimeout


def loop(clock: SignalClock) -> None:
    clock.start(0.03)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        pass


def test_each_loop_is_stopped() -> None:
    with SignalClock() as clock:
        for _ in range(3):
            with pytest.raises(SignalTimeout):
                loop(clock)


def test_a_short_limit_holds_after_a_long_one() -> None:
    with SignalClock() as clock:
        clock.start(60)
        clock.stop()
        with pytest.raises(SignalTimeout):
            loop(clock)


def test_a_ring_between_two_signals_stops_neither() -> None:
    with SignalClock() as clock:
        clock.start(60)
        clock.stop()
        signal.raise_signal(signal.SIGALRM)
        clock.start(60)
        clock.stop()
        with pytest.raises(SignalTimeout):
            loop(clock)


def test_in_another_thread_it_does_nothing() -> None:
    done: list[bool] = []

    def work() -> None:
        with SignalClock() as clock:
            clock.start(60)
            done.append(signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0))
            clock.stop()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [True]
