"""Labs that go on by themselves: a `compute` that yields one Frame after another, advanced in slices of time."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter

from pycore.domain import DomainError
from web.labs.frame import Frame


class Stopped(Exception):
    """A learner's wish, not an error: thrown into a process that is stopped for good, which may still yield frames."""


@dataclass(frozen=True)
class Process:
    """How a lab is run whose `compute` yields Frames.

    A frame that is costly to make may be yielded as a function that makes it, called only when somebody looks.
    Between two frames `compute` may yield the share done, a number in [0, 1]: what the progress bar shows, and an
    occasion to listen to the learner. From one yield to the next should take well below 50 ms in the browser.

    Attributes:
        still: number of the frame that tells most: shown where nothing runs (built page, print, paused start); None for
            the last one.
        pace: seconds that a frame stays on the screen at least; 0 for as fast as it goes.
        autoplay: whether it starts by itself where motion is welcome.
        stops: whether it can be stopped for good, as a run that has an outcome.
    """

    still: int | None = None
    pace: float = 0.0
    autoplay: bool = True
    stops: bool = False


Yielded = Frame | Callable[[], Frame] | float


class Run:
    """One run of a process.

    Attributes:
        frames: how many there were.
        share: what is done of the whole, in [0, 1]; NaN when the process does not say.
        ended: whether there is nothing more to come.
    """

    def __init__(self, work: Iterator[Yielded]) -> None:
        self.work = work
        self._newest: Frame | Callable[[], Frame] | None = None
        self.frames = 0
        self.share = math.nan
        self.ended = False

    @property
    def frame(self) -> Frame | None:
        """The newest one; None before the first."""
        return self._newest() if callable(self._newest) else self._newest

    def advance(self, frames: int, seconds: float = math.inf, clock: Callable[[], float] = perf_counter) -> None:
        """Goes on until there are so many frames more, the time is over or the process ends.

        Args:
            frames: how many, >= 1.
            seconds: after which no further step is begun.
            clock: of the caller.
        """
        goal, begin = self.frames + frames, clock()
        while not self.ended and self.frames < goal:
            self._take(lambda: next(self.work))
            if clock() - begin >= seconds:
                return

    def stop(self) -> None:
        """Tells the process to come to its end; what it still yields is had by `advance`."""

        def throw() -> Yielded:
            if not hasattr(self.work, "throw"):
                raise StopIteration
            found: Yielded = self.work.throw(Stopped())
            return found

        if not self.ended:
            self._take(throw)

    def _take(self, step: Callable[[], Yielded]) -> None:
        try:
            found = step()
        except (StopIteration, Stopped):
            self.ended = True
        except BaseException:
            self.ended = True
            raise
        else:
            if isinstance(found, Frame) or callable(found):
                self._newest = found
                self.frames += 1
            elif 0 <= found <= 1:
                self.share = float(found)
            else:
                raise DomainError("share", found, "0..1")


def still(process: Process, work: Iterator[Yielded], *, end: bool = False) -> Frame:
    """The frame that is shown where nothing runs, or the last one.

    Raises:
        DomainError: a process without frames.
    """
    run = Run(work)
    run.advance(process.still if process.still and not end else 2**62)
    if (frame := run.frame) is None:
        raise DomainError("compute", "no frame", "at least one frame")
    return frame
