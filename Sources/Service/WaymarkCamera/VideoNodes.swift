import Glibc

/// A video node and its properties in sysfs, without opening it.
package struct VideoNode: Sendable, Equatable {
  /// `/dev/video0`.
  package var path: String
  /// The identity as far as it is known without opening: serial or bus path; nil where the system tells nothing.
  package var identity: CameraIdentity?

  /// A node.
  package init(path: String, identity: CameraIdentity? = nil) {
    self.path = path
    self.identity = identity
  }
}

/// Where video nodes are looked for; tests and cameras in user space use other folders.
package struct VideoNodes: Sendable {
  /// The folder of the nodes.
  package var folder: String
  /// The system's own folder of video devices.
  var sysfs: String

  /// The system's places.
  package init(folder: String = "/dev", sysfs: String = "/sys/class/video4linux") {
    self.folder = folder
    self.sysfs = sysfs
  }

  /// All nodes, by their number. Costs some microseconds and wakes no camera.
  package func list() -> [VideoNode] {
    return Self.numbers(in: folder).map { number in
      let path = "\(folder)/video\(number)"
      return VideoNode(path: path, identity: identity(of: path))
    }
  }

  /// The node behind a path, links followed; nil when there is none.
  package func node(at path: String) -> VideoNode? {
    guard let real = Files.realPath(path) else { return nil }
    return VideoNode(path: real, identity: identity(of: real))
  }

  /// Reads the identity of a node from sysfs. The device number leads there, not the name: a node may be called as it likes.
  private func identity(of path: String) -> CameraIdentity? {
    guard let (major, minor) = Files.deviceNumber(of: path) else { return nil }
    let name = Files.names(in: sysfs).first { Files.line("\(sysfs)/\($0)/dev") == "\(major):\(minor)" }
    guard let name else { return nil }
    guard let device = Files.realPath("\(sysfs)/\(name)/device") else { return nil }
    let index = index(of: name)
    // The kernel counts the nodes of each camera from 0 on, also where one device has several cameras.
    let same = Self.numbers(in: device + "/video4linux").filter { self.index(of: "video\($0)") == index }
    return CameraIdentity(
      devicePath: device, index: index, rank: same.firstIndex { "video\($0)" == name } ?? 0
    ) { Files.line("\(device)/../\($0)") }
  }

  private func index(of name: String) -> Int { Files.line("\(sysfs)/\(name)/index").flatMap { Int($0) } ?? 0 }

  /// The numbers of the nodes in a folder, in their order.
  private static func numbers(in folder: String) -> [Int] {
    Files.names(in: folder).compactMap { $0.hasPrefix("video") ? Int($0.dropFirst(5)) : nil }.sorted()
  }
}

/// Reads the system's small files.
enum Files {
  static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        })
    }
    return names.filter { $0 != "." && $0 != ".." }
  }

  static func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Major and minor number of a character device; nil for anything else.
  static func deviceNumber(of path: String) -> (Int, Int)? {
    var information = stat()
    guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFCHR else { return nil }
    // gnu_dev_major and gnu_dev_minor of <sys/sysmacros.h>, which are macros.
    let number = UInt64(information.st_rdev)
    let major = (number >> 8) & 0xFFF | (number >> 32) & ~0xFFF
    let minor = number & 0xFF | (number >> 12) & ~0xFF
    return (Int(major), Int(minor))
  }

  /// The first line of a small file; nil when there is none or it is empty.
  static func line(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return nil }
    let text = String(decoding: bytes[..<count].prefix { $0 != 0x0A && $0 != 0 }, as: UTF8.self)
    let trimmed = String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    return trimmed.isEmpty ? nil : trimmed
  }
}
