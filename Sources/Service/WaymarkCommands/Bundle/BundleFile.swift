import Foundation
import Glibc
import WaymarkOnboarding
import WaymarkSystem

/// A bundle that was named on the command line.
enum BundleFile {
  /// Opens a bundle and checks who made it.
  static func open(_ path: String, keys: String) throws -> (reader: BundleReader, descriptor: FileHandle) {
    let text: String
    do {
      text = String(decoding: try WholeFile.read(keys, limit: 1 << 20, kind: .any), as: UTF8.self)
    } catch {
      throw BundleError(
        .cannotOpen, error.message,
        hint:
          "Put the public key of the bundles' maker there (waymark onboarding keygen prints it), or name its file: --keys"
      )
    }
    let isPEM = text.contains("-----BEGIN")
    let trusted = try isPEM ? PEMKeys.keys(text, id: nil) : JWKSet.keys(text).keys
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let error = FileError(path, cannotBe: "read", number: errno)
      throw BundleError(.cannotOpen, error.message, hint: error.hint)
    }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    return (try BundleReader(source: BundleReader.source(descriptor, name: path), keys: trusted), handle)
  }

  static let standardKeys = "/etc/waymark/bundle-keys.jwks"
  static let standardFolder = "/var/lib/waymark-bundles"
}
