// WaymarkImageTests
