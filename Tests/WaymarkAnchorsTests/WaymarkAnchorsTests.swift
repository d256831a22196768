// WaymarkAnchorsTests
