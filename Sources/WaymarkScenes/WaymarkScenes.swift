// WaymarkScenes
