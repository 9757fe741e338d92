"""Keeps Dask workers in the jobs of SLURM or LSF, and prints the address of their scheduler.

``jobqueue.yaml`` in Dask's folder of configuration describes a job. A job that ends is replaced by
another one, until Ctrl-C or until there was no work for long.
"""

import argparse
import shutil
import signal
import sys
import time

from dask_jobqueue import LSFCluster, SLURMCluster
from distributed import Security, Status

CLUSTERS = {"lsf": LSFCluster, "slurm": SLURMCluster}


def keep(cluster):
    """Return when the scheduler ends; print its address when there is a worker."""
    told = False
    print("waiting for the first job to run", file=sys.stderr)
    while cluster.scheduler.status == Status.running:
        if cluster.scheduler.workers and not told:
            told = True
            print(f"dashboard: http://127.0.0.1:{cluster.scheduler.http_server.port}",
                  file=sys.stderr)
            print(cluster.scheduler_address, flush=True)
        time.sleep(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("system", choices=CLUSTERS, help="the batch system")
    parser.add_argument("--jobs", type=int, default=1, metavar="N",
                        help="number of jobs at one time, each with one worker (default: 1)")
    parser.add_argument("--show", action="store_true",
                        help="print the script of a job, and submit nothing")
    arguments = parser.parse_args()
    make = CLUSTERS[arguments.system]
    security = Security()
    if not security.get_tls_config_for_role("worker").get("cert"):
        parser.error("all users of the site can reach the scheduler, so that it needs TLS; set it "
                     "up as docs/many_machines.md says")
    if not arguments.show and shutil.which(make.job_cls.submit_command) is None:
        parser.error(f"{make.job_cls.submit_command} is not here; run this where jobs are "
                     "submitted, or give --show")
    # A kill cancels the jobs, as Ctrl-C does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with make(security=security, nanny=False) as cluster:
            if arguments.show:
                print(cluster.job_script())
                return
            # All jobs for all of the time: with fewer, Dask would end workers that still compute.
            cluster.adapt(minimum_jobs=arguments.jobs, maximum_jobs=arguments.jobs)
            keep(cluster)
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
