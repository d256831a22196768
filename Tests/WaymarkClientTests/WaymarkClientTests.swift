// WaymarkClientTests
