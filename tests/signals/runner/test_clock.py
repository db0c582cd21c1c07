"""The clock stops what loops, again and again, and nothing else."""

import threading
import time

import pytest

from clausewise.signals.runner.clock import SignalClock, SignalTimeout


def loop(clock: SignalClock) -> None:
    clock.start(0.03)
    end = time.monotonic() + 5
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
        clock.start(0.03)
        clock.stop()
        time.sleep(0.1)
        clock.start(60)
        assert clock.stop() is None
        with pytest.raises(SignalTimeout):
            loop(clock)


def test_in_another_thread_it_does_nothing() -> None:
    done: list[bool] = []

    def work() -> None:
        with SignalClock() as clock:
            clock.start(0.01)
            time.sleep(0.05)
            clock.stop()
            done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [True]
