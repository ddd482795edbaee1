"""Who runs the points of a sweep: processes of this machine, or a cluster."""

from ppdp_lab.lab.sweeping.workers.local import run_here
from ppdp_lab.lab.sweeping.workers.point import Job, Task, make_job, run_in_this_process, versions

__all__ = ["Job", "Task", "make_job", "run_here", "run_in_this_process", "versions"]
