"""The axis of a picture of time: every moment has its place, and quiet stretches are drawn shorter than they were.

A session has its handshake and its list in the first tenth of a second, and then nothing for a minute. On an even axis
the first would be one dot. So the distance of two moments grows with a power of the time between them; order is kept, a
longer wait is always drawn longer, and the axis is labelled with the true times.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

#: How the drawn distance grows with the time between two moments.
POWER = 0.4
#: Moments that are nearer to each other than this part of the whole are one place.
_SAME = 1e-6
#: So many moments shape the axis; of more, every second, third or fourth one does.
MOST = 600


class Scale:
    """Places moments between 0 and 1."""

    def __init__(self, moments: Iterable[float]) -> None:
        known = sorted(set(moments)) or [0.0]
        step = len(known) // MOST + 1
        anchors = [*known[:-1:step], known[-1]]
        self.start, self.end = anchors[0], anchors[-1]
        least = (self.end - self.start) * _SAME
        self._times = [self.start]
        places = [0.0]
        for t in anchors[1:]:
            gap = t - self._times[-1]
            if gap > least:
                self._times.append(t)
                places.append(places[-1] + gap**POWER)
        whole = places[-1] or 1.0
        self._places = [place / whole for place in places]

    def place(self, t: float) -> float:
        """Return where a moment is, from 0 for the first to 1 for the last one; others are held to these ends."""
        if t <= self.start:
            return 0.0
        if t >= self._times[-1]:
            return self._places[-1]
        after = bisect_right(self._times, t)
        begun, ended = self._times[after - 1], self._times[after]
        left, right = self._places[after - 1], self._places[after]
        return left + (right - left) * (t - begun) / (ended - begun)

    def ticks(self, apart: float) -> list[tuple[float, float]]:
        """Return moments to label, as time and place, each at least so far from the one before; the ends are among them."""
        found = [(self.start, 0.0)]
        for t, place in zip(self._times, self._places, strict=True):
            if place - found[-1][1] >= apart:
                found.append((t, place))
        last = (self._times[-1], self._places[-1])
        if found[-1] != last and len(found) > 1 and last[1] - found[-1][1] < apart:
            found.pop()
        if found[-1] != last and last[1] > 0:
            found.append(last)
        return found


def told(t: float, whole: float) -> str:
    """Return a moment as an axis tells it, as exactly as a picture of so many seconds needs."""
    digits = 3 if whole < 1 else 2 if whole < 10 else 1 if whole < 600 else 0
    return f"{t:.{digits}f} s"
