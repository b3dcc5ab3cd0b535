"""From what agents did to a Trace, for any kernel: clock fit, phases, what hardware did, order, merge, violations."""
