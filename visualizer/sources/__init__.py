"""Where recordings come from: the simulator and the GPU."""
