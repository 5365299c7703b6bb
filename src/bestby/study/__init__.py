"""A study that grows: conditions, their runs, and one gold, in a directory of plain files."""

from bestby.study.records import Gold, Run
from bestby.study.store import Store
from bestby.study.study import Study

__all__ = ["Gold", "Run", "Store", "Study"]
