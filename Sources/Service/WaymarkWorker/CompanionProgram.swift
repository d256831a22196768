import Glibc

/// A program that this one starts, from a package of its own.
package enum CompanionProgram {
  /// The path of the program: beside the one that runs, or where its package puts it; nil where it is not installed.
  package static func path(_ name: String) -> String? {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &path, path.count - 1)
    var candidates = ["/usr/bin/\(name)"]
    if count > 0 {
      let own = String(decoding: path[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
      if let slash = own.lastIndex(of: "/") { candidates.insert(own[...slash] + name, at: 0) }
    }
    return candidates.first { access($0, X_OK) == 0 }
  }
}
