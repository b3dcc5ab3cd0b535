"""Player: whether the recording plays, how fast and which way. Whoever has a clock tells it what time elapsed."""

from __future__ import annotations

from visualizer.language import tr

SPEEDS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0)
"""Events per second to choose from."""

DEFAULT_SPEED = 5.0


class Player:
    """Play state. `speed` is in events per second; `direction` +1 or -1."""

    def __init__(self, speed: float = DEFAULT_SPEED) -> None:
        self.set_speed(speed)
        self._playing = False
        self._direction = 1
        self._owed = 0.0

    @property
    def playing(self) -> bool:
        return self._playing

    @property
    def speed(self) -> float:
        return self._speed

    @property
    def direction(self) -> int:
        return self._direction

    def play(self, direction: int = 1) -> None:
        """Play forward (+1) or backward (-1)."""
        self._playing = True
        self._direction = 1 if direction > 0 else -1
        self._owed = 0.0

    def pause(self) -> None:
        self._playing = False

    def toggle(self) -> None:
        """Pause, or play on in the direction it last had."""
        if self._playing:
            self.pause()
        else:
            self.play(self._direction)

    def set_speed(self, speed: float) -> None:
        """Change the pace; ValueError unless above 0."""
        if not speed > 0:
            raise ValueError(tr("speed is {speed} events per second; it must be above 0", speed=speed))
        self._speed = speed

    def advance(self, elapsed_s: float, step: int, steps: int) -> int:
        """The step to show after `elapsed_s` more seconds at `step` of `steps`; pauses at either end."""
        if not self._playing:
            return step
        self._owed += elapsed_s * self._speed
        whole = int(self._owed)
        self._owed -= whole
        target = step + self._direction * whole
        stop = steps - 1 if self._direction > 0 else 0
        if (stop - target) * self._direction <= 0:
            self.pause()
            return max(stop, 0)
        return target
