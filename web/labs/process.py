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


class Run:
    """One run of a process.

    Attributes:
        frame: the newest one; None before the first.
        frames: how many there were.
        share: what is done of the whole, in [0, 1]; NaN when the process does not say.
        ended: whether there is nothing more to come.
    """

    def __init__(self, work: Iterator[Frame | float]) -> None:
        self.work = work
        self.frame: Frame | None = None
        self.frames = 0
        self.share = math.nan
        self.ended = False

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

        def throw() -> Frame | float:
            if not hasattr(self.work, "throw"):
                raise StopIteration
            found: Frame | float = self.work.throw(Stopped())
            return found

        if not self.ended:
            self._take(throw)

    def _take(self, step: Callable[[], Frame | float]) -> None:
        try:
            found = step()
        except (StopIteration, Stopped):
            self.ended = True
        except BaseException:
            self.ended = True
            raise
        else:
            if isinstance(found, Frame):
                self.frame = found
                self.frames += 1
            elif 0 <= found <= 1:
                self.share = float(found)
            else:
                raise DomainError("share", found, "0..1")


def still(process: Process, work: Iterator[Frame | float], *, end: bool = False) -> Frame:
    """The frame that is shown where nothing runs, or the last one.

    Raises:
        DomainError: a process without frames.
    """
    run = Run(work)
    run.advance(process.still if process.still and not end else 2**62)
    if run.frame is None:
        raise DomainError("compute", "no frame", "at least one frame")
    return run.frame
