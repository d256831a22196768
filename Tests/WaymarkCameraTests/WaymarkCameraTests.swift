// WaymarkCameraTests
