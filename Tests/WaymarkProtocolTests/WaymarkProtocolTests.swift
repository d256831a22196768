// WaymarkProtocolTests
