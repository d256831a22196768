import WaymarkSystem

/// The head of a file in a tar archive: what POSIX.1-1988 calls ustar, and of that regular files alone.
///
/// Links, devices, folders, sparse files and extended headers are not allowed in a bundle, so that there is nothing to be careful with.
struct TarEntry: Hashable {
  static let blockSize = 512
  let path: String
  let size: Int

  /// The head as it is written: owned by root, readable by all, without a time.
  var block: [UInt8] {
    var block = [UInt8](repeating: 0, count: Self.blockSize)
    func put(_ text: String, at place: Int) { block.replaceSubrange(place..<place + text.utf8.count, with: text.utf8) }
    var name = path[...]
    if path.utf8.count > 100, let slash = Self.split(path) {
      put(String(path[..<slash]), at: 345)
      name = path[path.index(after: slash)...]
    }
    put(String(name), at: 0)
    put("0000644", at: 100)
    put("0000000", at: 108)
    put("0000000", at: 116)
    put(size.digits(11, radix: 8), at: 124)
    put("00000000000", at: 136)
    put("        ", at: 148)
    put("0", at: 156)
    put("ustar", at: 257)
    put("00", at: 263)
    let sum = block.reduce(0) { $0 + Int($1) }
    put(sum.digits(6, radix: 8), at: 148)
    block[154] = 0
    return block
  }

  /// Reads a head.
  ///
  /// - Returns: `nil` for a block of zeros: the end.
  static func parse(_ block: [UInt8]) throws(BundleError) -> TarEntry? {
    guard block.count == blockSize else { throw .bad("it is truncated") }
    if block.allSatisfy({ $0 == 0 }) { return nil }
    guard let name = text(block[0..<100]), let prefix = text(block[345..<500]), let size = number(block[124..<136])
    else {
      throw .bad("an entry's header cannot be read")
    }
    let entry = TarEntry(path: prefix.isEmpty ? name : "\(prefix)/\(name)", size: size)
    // Other contents that such a block may have are never written by `make`.
    guard BundleManifest.isPath(entry.path), entry.block == block else {
      throw .bad("an entry is neither a regular file nor written by Waymark")
    }
    return entry
  }

  /// Where a long path is cut into prefix and name.
  private static func split(_ path: String) -> String.Index? {
    path.indices.first { path[$0] == "/" && path[path.index(after: $0)...].utf8.count <= 100 }
  }
  private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
    let text = bytes.prefix { $0 != 0 }
    guard text.allSatisfy({ (32..<127).contains($0) }) else { return nil }
    return String(decoding: text, as: UTF8.self)
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
    let digits = bytes.prefix { $0 != 0 }
    guard (1...11).contains(digits.count) else { return nil }
    return Int(String(decoding: digits, as: UTF8.self), radix: 8)
  }
}
