// WaymarkKioskTests
