// WaymarkOnboardingTests
