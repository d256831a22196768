// WaymarkAnchors
