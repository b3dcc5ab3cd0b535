"""Charts: numbers with axes and units, and the widgets that draw them with pyqtgraph."""
