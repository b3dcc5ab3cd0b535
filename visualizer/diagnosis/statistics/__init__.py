"""How fast a run was and why: who waited for what, how full the ring was, what bound it. Pure sums over a History."""
