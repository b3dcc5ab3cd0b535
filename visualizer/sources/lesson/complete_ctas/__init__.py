"""The short way for a CTA whose log of clocks is complete: what happens with a tile is known from the tile's number.

Its events are a table that all such CTAs share, and its dependencies are comparisons of columns. It gives what the
general way (examine, derive, reconcile, expand) gives, event for event; what it cannot, it leaves to that.
"""
