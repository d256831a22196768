// WaymarkKiosk
