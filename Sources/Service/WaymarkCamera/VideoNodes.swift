import Glibc
import WaymarkSystem

/// A video node and its properties in sysfs, which are read without opening the node. The file also lists the nodes (`VideoNodes`),
/// and has `CameraIdentity`, by which a camera is recognised again.
package struct VideoNode: Sendable, Equatable {
  /// The path of the node, such as `/dev/video0`.
  package var path: String
  /// The identity from sysfs, a serial number or bus path; nil if it is only known after opening the node.
  package var identity: CameraIdentity?
}

/// Lists the video nodes of the system, or of other folders for tests and cameras in user space.
package struct VideoNodes: Sendable {
  /// The folder of the device files, usually /dev.
  package var folder: String
  /// The folder of video devices in sysfs.
  var sysfs: String

  /// Creates a list of the nodes in a folder; by default the system's nodes.
  package init(folder: String = "/dev", sysfs: String = "/sys/class/video4linux") {
    self.folder = folder
    self.sysfs = sysfs
  }

  /// Returns all nodes in the order of their numbers. Takes microseconds, and does not wake any camera.
  package func list() -> [VideoNode] {
    return Self.numbers(in: folder).map { number in
      let path = "\(folder)/video\(number)"
      return VideoNode(path: path, identity: identity(of: path))
    }
  }

  /// Returns the node at a path, following links; nil if it does not exist.
  package func node(at path: String) -> VideoNode? {
    guard let real = Files.realPath(path) else { return nil }
    return VideoNode(path: real, identity: identity(of: real))
  }

  /// Reads the identity of a node from sysfs; nil if sysfs does not have it. The node is found by its device number, because its
  /// file may have any name.
  private func identity(of path: String) -> CameraIdentity? {
    guard let (major, minor) = Files.deviceNumber(of: path) else { return nil }
    let name = Files.names(in: sysfs).first { Files.line("\(sysfs)/\($0)/dev") == "\(major):\(minor)" }
    guard let name else { return nil }
    guard let device = Files.realPath("\(sysfs)/\(name)/device") else { return nil }
    let index = index(of: name)
    // The kernel numbers the nodes of each camera from 0, even if one device has several cameras.
    let same = Self.numbers(in: device + "/video4linux").filter { self.index(of: "video\($0)") == index }
    return CameraIdentity(
      devicePath: device, index: index, rank: same.firstIndex { "video\($0)" == name } ?? 0
    ) { Files.line("\(device)/../\($0)") }
  }

  private func index(of name: String) -> Int { Files.line("\(sysfs)/\(name)/index").flatMap { Int($0) } ?? 0 }

  /// Returns the numbers of the nodes in a folder, in ascending order.
  private static func numbers(in folder: String) -> [Int] {
    Files.names(in: folder).compactMap { $0.hasPrefix("video") ? Int($0.dropFirst(5)) : nil }.sorted()
  }
}

// MARK: - Files of the system

/// Reads names, paths, device numbers and short texts in `/dev` and sysfs.
enum Files {
  static func names(in folder: String) -> [String] { (try? Folder.names(folder)) ?? [] }

  static func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Returns the major and minor number of a character device; nil for other files.
  static func deviceNumber(of path: String) -> (Int, Int)? {
    var information = stat()
    guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFCHR else { return nil }
    // gnu_dev_major and gnu_dev_minor of <sys/sysmacros.h> are macros, which Swift does not import.
    let number = UInt64(information.st_rdev)
    let major = (number >> 8) & 0xFFF | (number >> 32) & ~0xFFF
    let minor = number & 0xFF | (number >> 12) & ~0xFF
    return (Int(major), Int(minor))
  }

  /// Returns the first line of a small file; nil if the file is missing or empty.
  static func line(_ path: String) -> String? {
    guard let bytes = try? WholeFile.head(path, count: 256).bytes else { return nil }
    let text = String(decoding: bytes.prefix { $0 != 0x0A && $0 != 0 }, as: UTF8.self)
    let trimmed = String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    return trimmed.isEmpty ? nil : trimmed
  }
}

// MARK: - Identities of cameras

/// The stable identity of a camera, independent of the number of its node: its serial number, or else the port to which it is
/// attached.
package struct CameraIdentity: Sendable, Hashable {
  /// The text of the identity, such as `usb:1d6b:0102:SN4711` or `path:pci-0000:00:14.0-usb-2`. Further lenses of a camera have a
  /// suffix such as `#1`, and further cameras of a device a suffix such as `#0.1`.
  package var text: String

  package init(text: String) {
    self.text = text
  }

  /// Creates the identity of a device in sysfs; nil if it cannot be determined.
  ///
  /// - Parameters:
  ///   - devicePath: the real path of the device, such as `/sys/devices/pci0000:00/0000:00:14.0/usb1/1-2/1-2:1.0`.
  ///   - index: the index of the node among the nodes of its camera.
  ///   - rank: the number of earlier nodes of the device with the same index. A device that is not on USB may have several cameras.
  ///   - attribute: reads an attribute of the USB device to which the interface `devicePath` belongs; returns nil if it
  ///     is missing.
  package init?(devicePath: String, index: Int, rank: Int = 0, attribute: (String) -> String?) {
    let parts = devicePath.split(separator: "/").map(String.init)
    guard let last = parts.last else { return nil }
    // Lenses of a UVC camera are distinguished by the USB interface. The indices of nodes differ between kernels, because some
    // kernels have nodes for metadata.
    let lens = last.split(separator: ":").last.flatMap { $0.split(separator: ".").last }.flatMap { Int($0) } ?? 0
    let suffix = lens > 0 ? "#\(lens)" : ""
    if let vendor = attribute("idVendor"), let product = attribute("idProduct") {
      if let serial = attribute("serial"), Self.isTrustworthy(serial) {
        text = "usb:\(vendor):\(product):\(serial)\(suffix)"
        return
      }
      // In "1-2.3", the number 1 of the bus may change at every boot; the ports 2 and 3 do not change.
      let ports = parts.dropLast().last?.split(separator: "-").last.map(String.init) ?? last
      let controller = parts.last { $0.contains(":") && $0.contains(".") && $0 != last } ?? "usb"
      text = "path:\(controller)-usb-\(ports)\(suffix)"
      return
    }
    text = "path:\(last)" + (rank > 0 ? "#\(index).\(rank)" : index > 0 ? "#\(index)" : "")
  }

  /// Creates the identity from the driver's information, for a camera without a device in sysfs.
  package init(bus: String, card: String) {
    text = "path:\(bus.isEmpty ? card : bus)"
  }

  /// Returns false for serial numbers that manufacturers use for all their cameras.
  private static func isTrustworthy(_ serial: String) -> Bool {
    !serial.allSatisfy { $0 == "0" }
      && !["SN0001", "0123456789", "123456789", "1234567890", "200901010001"].contains(serial)
  }
}
