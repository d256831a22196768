// WaymarkCamera
