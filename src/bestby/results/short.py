"""What scores and differences say on one line."""

from __future__ import annotations

from bestby._core.lazy import module_by_name


class InShort:
    """What is said on one line: a score or a difference."""

    __slots__ = ()

    @property
    def short(self) -> str:
        """One line: estimate, interval, p, number of items and verdict of a difference; score and interval.

        Examples
        --------
        >>> import bestby as bb
        >>> bb.compare({"new": [1] * 9 + [0], "old": [0, 1] * 5})["new", "old"].short
        'new − old: 0.40 [−0.09, 0.72], p = 0.22, n = 10'
        """
        text: str = module_by_name("bestby.report.words").short(self)
        return text

    def __repr__(self) -> str:
        """Return one line: the class, and what is short."""
        return f"<{type(self).__name__} {self.short}>"
