// WaymarkServiceTests
