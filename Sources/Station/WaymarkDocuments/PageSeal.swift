import WaymarkCrypto
package import WaymarkSystem

/// Encrypts the record and the pictures of unsaved pages (AES-256-GCM, RFC 5116), each authenticated with its file name.
package struct PageSeal: Sendable {
  private static let mark = Array("WMSEAL1\n".utf8)
  private static let keyLength = 32
  private let key: SymmetricKey
  /// Identifies the key at the beginning of each file, so that a wrong key is distinguished from a damaged file.
  private let sign: [UInt8]

  /// Reads the key from a file of 32 bytes, which is created if it is missing.
  ///
  /// - Throws: `documentKey` if the file cannot be read or created, has another length, or is a missing credential of systemd.
  package init(keyFile path: String) throws(ServiceProblem) {
    let problem = { (reason: String) in
      ServiceProblem(
        code: "documentKey", message: "The key file \(path) cannot be used: \(reason).",
        hint: "Name a file of 32 random bytes as documents.keyFile, or one in a folder where it can be made.")
    }
    // The name of a missing credential must not be used as a path in the working folder.
    guard !Credential.isMissing(path) else { throw problem("systemd handed over no such credential") }
    do throws(FileError) {
      if FileKind(path) == nil {
        try DurableFile.replace(path, with: (0..<Self.keyLength).map { _ in UInt8.random(in: 0...255) })
      }
      let bytes = try WholeFile.read(path, limit: 4096)
      guard bytes.count == Self.keyLength else {
        throw FileError(.failed, "it has \(bytes.count) bytes, not \(Self.keyLength)", hint: "")
      }
      key = SymmetricKey(bytes)
    } catch {
      throw problem(error.cause ?? error.message)
    }
    sign = Array(key.authenticationCode(for: Array("waymark documents".utf8)).prefix(8))
  }

  /// Encrypts the contents of the file `name`.
  package func sealed(_ bytes: [UInt8], _ name: String) throws -> [UInt8] {
    Self.mark + sign + (try key.seal(bytes, authenticating: Array(name.utf8)))
  }

  /// Decrypts the contents of the file `name`; contents written without a key are returned unchanged.
  ///
  /// - Parameter seal: The seal; `nil` if no key is configured.
  /// - Throws: The problem `documentKey` if the file in `folder` was encrypted with another key; `FileError` if it is damaged.
  package static func opened(_ bytes: [UInt8], _ name: String, in folder: String, by seal: Self?) throws -> [UInt8] {
    guard bytes.starts(with: mark) else { return bytes }
    let rest = bytes.dropFirst(mark.count)
    guard let seal, rest.starts(with: seal.sign) else {
      throw ServiceProblem(
        code: "documentKey", message: "The pages in \(folder) are sealed with another key.",
        hint: "Name the key file that they were sealed with as documents.keyFile, or remove the folder.")
    }
    do {
      return try seal.key.open(Array(rest.dropFirst(seal.sign.count)), authenticating: Array(name.utf8))
    } catch {
      throw FileError(.failed, "\(folder)/\(name) is damaged", hint: "Check the medium it is on.")
    }
  }
}
