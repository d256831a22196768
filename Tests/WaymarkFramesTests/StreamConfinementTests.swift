import Glibc
import Testing

@testable import WaymarkFrames

/// The rights of the programs that play addresses.
struct StreamConfinementTests {
  @Test func whoHasTheNetworkHasNoDevices() {
    for scheme in StreamAddress.Scheme.allCases {
      let rights = StreamConfinement(scheme)
      let hasNetwork = rights.families.contains(AF_INET) || rights.families.contains(AF_INET6)
      #expect(hasNetwork == [.rtsp, .http, .https].contains(scheme))
      #expect(rights.devices.isEmpty == (scheme != .libcamera))
      #expect(rights.sharesMemory == scheme.playsCameras)
      // Neither homes, nor what is kept of a device, nor sockets of others.
      for path in rights.readable {
        #expect(!["/", "/etc", "/run", "/home", "/root", "/var", "/proc", "/dev", "/tmp"].contains(path))
      }
    }
    // The connection is handed over: no way leads to the other services of a session.
    #expect(StreamConfinement(.pipewire).families.isEmpty)
    #expect(StreamConfinement(.libcamera).families == [AF_NETLINK])
  }
}
