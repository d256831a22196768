// WaymarkOnboarding
