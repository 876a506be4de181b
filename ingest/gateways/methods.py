"""The methods by which gateways join what their devices say: who tells what, whose rows travel where.

    natural   L goes to the gateways that own devices of R with its key, and meets R there
    semi      what is selected of R goes to the owners of L with its key, and only what meets goes on
    base      both go to the gateway nearest to base
    bloom     the same, but of L only what a bitmap of R's keys lets through

Natural and semi are one method seen from either side: the side that stays says which keys it owns, once
and whether its selection holds or not, so that a selection that flips costs no message here. A bitmap
is of what is selected now, and is said again whenever it changes.

Messages an epoch where a device speaks when it changes, f(p) = 2p(1 - p) being how often; N_L, N_R devices
of which p_L, p_R are selected, d hops between, h to base, m gateways:

    natural   N_L f(p_L) d + N_L f(p_L p_R) h         semi   N_L f(p_R) d + N_L f(p_L p_R) h
    base      (N_L f(p_L) + N_R f(p_R)) (h - 1) + N_L f(p_L p_R)
    bloom     N_R f(p_R) (m - 1) + (N_L f(p_L p̂) + N_R f(p_R)) (h - 1) + N_L f(p_L p_R)
"""

from typing import NamedTuple

from engine.plan.leaves import AT_BASE, BLOOM, NATURAL, SEMI

LEFT, RIGHT = 0, 1
SIDES = (LEFT, RIGHT)


class Method(NamedTuple):
    """``owns`` is the side that stays and says which keys it owns; None: both travel to the base station.

    ``filters`` is the side of which a bitmap tells what of the other may travel.
    """

    owns: int | None
    filters: int | None


METHODS = {
    NATURAL: Method(owns=RIGHT, filters=None),
    SEMI: Method(owns=LEFT, filters=None),
    BLOOM: Method(owns=None, filters=RIGHT),
    AT_BASE: Method(owns=None, filters=None),
}
