import Glibc

/// The rights of the program that plays an address, beyond computing, its own files and the connection it writes to.
package struct StreamConfinement: Equatable {
  /// The paths that it reads, with all that lies below.
  package let readable: [String]
  /// Patterns of the device files that it reads and writes.
  package let devices: [String]
  /// The families of the sockets that it opens.
  package let families: [Int32]
  /// True if it makes memory that it shares with the process at the other end of a connection that it was handed.
  package let sharesMemory: Bool

  /// The rights for a scheme.
  package init(_ scheme: StreamAddress.Scheme) {
    // Libraries and their data, and the time of day.
    let common = ["/usr/lib", "/usr/share", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime"]
    switch scheme {
    case .rtsp, .http, .https:
      // Names of hosts, and certificates.
      readable =
        common + [
          "/etc/resolv.conf", "/run/systemd/resolve", "/etc/hosts", "/etc/host.conf", "/etc/nsswitch.conf",
          "/etc/gai.conf", "/etc/ssl",
        ]
      (devices, families, sharesMemory) = ([], [AF_UNIX, AF_INET, AF_INET6], false)
    case .screen: (readable, devices, families, sharesMemory) = (common, [], [AF_UNIX], false)
    case .pipewire:
      // Everything passes through the connection that it is handed.
      (readable, devices, families, sharesMemory) = (common + ["/etc/pipewire"], [], [], true)
    case .libcamera:
      // libcamera finds cameras by sysfs and udev's database, and hears by netlink that one is plugged in.
      readable = common + ["/etc/libcamera", "/sys", "/run/udev"]
      devices = ["/dev/media*", "/dev/video*", "/dev/v4l-subdev*", "/dev/dma_heap/*", "/dev/udmabuf"]
      (families, sharesMemory) = ([AF_NETLINK], true)
    }
  }
}
