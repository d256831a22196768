import Testing

@testable import WaymarkFrames

/// Where PipeWire listens.
struct PipeWireSocketTests {
  @Test func theSessionComesBeforeTheSystem() {
    #expect(PipeWireSocket.paths([:]) == ["/run/pipewire/pipewire-0"])
    #expect(PipeWireSocket.paths(["XDG_RUNTIME_DIR": "/run/user/7"])[0] == "/run/user/7/pipewire-0")
    let both = ["XDG_RUNTIME_DIR": "/run/user/7", "PIPEWIRE_RUNTIME_DIR": "/p", "PIPEWIRE_REMOTE": "other"]
    #expect(PipeWireSocket.paths(both) == ["/p/other", "/run/pipewire/other"])
    #expect(PipeWireSocket.paths(["PIPEWIRE_REMOTE": "/a/socket", "XDG_RUNTIME_DIR": "/x"]) == ["/a/socket"])
    #expect(PipeWireSocket.paths(["PIPEWIRE_RUNTIME_DIR": "", "XDG_RUNTIME_DIR": "/x"])[0] == "/x/pipewire-0")
  }
}
