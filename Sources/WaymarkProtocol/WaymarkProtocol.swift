// WaymarkProtocol
