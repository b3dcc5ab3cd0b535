"""What fills a lane, as data without Qt: boxes, a barrier's waveform, a probe's samples, shares of time in a pixel."""
