// WaymarkBarcodesTests
