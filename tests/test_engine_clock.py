"""Time that is computed by never goes back, however the machine's clock is set."""

from engine.model.clock import SECOND, SteadyClock


class Machine:
    """A clock that can be set, and what really passes."""

    def __init__(self) -> None:
        self.shown, self.passed = 1_000 * SECOND * 1_000, 0

    def pass_by(self, seconds: float) -> None:
        self.shown += int(seconds * 1e9)
        self.passed += int(seconds * 1e9)

    def clock(self, origin: int = 0) -> SteadyClock:
        return SteadyClock(origin, lambda: self.shown, lambda: self.passed)


def test_a_machine_that_is_left_alone_is_followed() -> None:
    machine = Machine()
    clock = machine.clock()
    assert clock.now() == 1_000 * SECOND
    for _ in range(1_000):
        machine.pass_by(0.01)
        assert clock.now() == machine.shown // 1_000


def test_a_machine_set_back_by_an_hour_is_waited_for_while_time_goes_on() -> None:
    machine = Machine()
    clock = machine.clock()
    before = clock.now()
    machine.shown -= 3_600 * SECOND * 1_000
    machine.pass_by(10)
    assert clock.now() == before + 9 * SECOND
    machine.pass_by(36_000)
    assert clock.now() == machine.shown // 1_000


def test_a_machine_set_ahead_is_followed_at_once_and_back_again_slowly() -> None:
    machine = Machine()
    clock = machine.clock()
    machine.shown += 60 * SECOND * 1_000
    assert clock.now() == 1_060 * SECOND
    machine.shown -= 60 * SECOND * 1_000
    machine.pass_by(10)
    assert clock.now() == 1_069 * SECOND


def test_it_goes_on_where_a_log_stopped() -> None:
    machine = Machine()
    clock = machine.clock(origin=1_500 * SECOND)
    machine.pass_by(100)
    assert clock.now() == 1_590 * SECOND
