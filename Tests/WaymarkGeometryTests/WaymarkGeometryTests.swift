// WaymarkGeometryTests
