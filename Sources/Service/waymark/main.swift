import WaymarkCommands

// The program of the base: cameras, codes, onboarding, image anchors, scenes, the socket.
Program(WaymarkBase.self).run()
