"""Which lanes there are, in what order and where; what a lane of each kind is drawn from, looks like and says."""
