"""Whether two trajectories take the same steps."""

from itertools import pairwise


def reports(trajectory):
    found = []
    while trajectory:
        trajectory, last = trajectory
        found.append(last)
    return found[::-1]


def steps(trajectory):
    found = reports(trajectory)
    return [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(found)]


def parallel(a, b):
    one, other = steps(a), steps(b)
    near = all(abs(p[i] - q[i]) <= 0.1 for p, q in zip(one, other, strict=False) for i in (0, 1))
    return int(len(one) == len(other) and near)
