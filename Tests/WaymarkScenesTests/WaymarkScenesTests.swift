// WaymarkScenesTests
