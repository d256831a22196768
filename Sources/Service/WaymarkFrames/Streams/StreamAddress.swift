/// The address of a camera on the network, of libcamera or of PipeWire, or of a screen. It may hold a password: printed, dumped and mirrored it
/// shows `display`.
package struct StreamAddress: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
  /// The kinds of addresses that are played.
  package enum Scheme: String, Sendable, CaseIterable {
    case rtsp
    /// Motion JPEG over HTTP.
    case http
    case https
    /// A screen of X11: `screen:` for that of the environment, `screen::1` for one by its number.
    case screen
    /// A camera of libcamera: `libcamera:` for the first, `libcamera:ID` for one by its identifier.
    case libcamera
    /// A camera of PipeWire: `pipewire:` for the usual one, `pipewire:NAME` for one by its node's name or serial number.
    case pipewire

    /// True for those without a host behind `//`: they play what is part of this computer.
    var isLocal: Bool { self == .screen || playsCameras }
    /// True for those that name a camera of this computer.
    var playsCameras: Bool { self == .libcamera || self == .pipewire }
  }

  package let scheme: Scheme
  /// All of it, with user and password.
  package private(set) var secret: String
  /// Without user, password and what follows the path, which may hold a token.
  package let display: String
  /// True if it names a user or a password.
  package let hasCredentials: Bool
  /// The camera of this computer that it names, and how it is to be asked; nil for other schemes.
  package let camera: LocalCamera?

  /// No address is longer, in bytes.
  package static let byteLimit = 2048

  /// The scheme of something that looks like an address; nil for paths.
  package static func scheme(of text: String) -> String? {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let word = text[..<colon].lowercased()
    let isAddress = text[colon...].hasPrefix("://") || Scheme(rawValue: word)?.isLocal == true
    return isAddress && !word.isEmpty && word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } ? word : nil
  }

  /// The address of a text; nil for other schemes, without a host, and for bytes that belong in no address: what is not ASCII is written
  /// with percent signs (RFC 3986, section 2).
  package init?(_ text: String) {
    guard let word = Self.scheme(of: text), let scheme = Scheme(rawValue: word),
      (1...Self.byteLimit).contains(text.utf8.count),
      text.utf8.allSatisfy({
        // Others are quoted for ffmpeg.
        (0x21...0x7E).contains($0) && (scheme.playsCameras || $0 != 0x27 && $0 != 0x22 && $0 != 0x5C)
      })
    else { return nil }
    self.scheme = scheme
    secret = text
    let rest = text.dropFirst(word.count + 1)
    guard scheme != .screen else {
      // A display of this computer: a colon, its number, perhaps that of its screen.
      guard rest.allSatisfy({ $0 == ":" || $0 == "." || $0.isNumber }), rest.isEmpty || rest.first == ":" else {
        return nil
      }
      (display, hasCredentials, camera) = (text, false, nil)
      return
    }
    guard !scheme.playsCameras else {
      guard let camera = LocalCamera(rest) else { return nil }
      (display, hasCredentials) = ("\(word):\(rest.prefix { $0 != "?" })", false)
      self.camera = camera
      return
    }
    camera = nil
    let body = rest.dropFirst(2)
    let authority = body.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let host = authority[(authority.lastIndex(of: "@").map { authority.index(after: $0) } ?? authority.startIndex)...]
    guard !host.isEmpty else { return nil }
    let path = body.dropFirst(authority.count).prefix { $0 != "?" && $0 != "#" }
    display = "\(word)://\(host)\(path)"
    hasCredentials = authority.contains("@")
  }

  /// The same address for a user.
  ///
  /// - Parameter credentials: `user:password`, in any characters.
  package func signedIn(_ credentials: String) -> StreamAddress {
    // Those that stand for themselves everywhere (RFC 3986, section 2.3).
    func encoded(_ text: Substring) -> String {
      text.utf8.reduce(into: "") { result, byte in
        let isPlain =
          byte < 0x80 && (Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber)
        let digits = String(byte, radix: 16, uppercase: true)
        result +=
          isPlain || [0x2D, 0x2E, 0x5F, 0x7E].contains(byte)
          ? String(Unicode.Scalar(byte)) : "%" + (digits.count < 2 ? "0" : "") + digits
      }
    }
    guard !scheme.isLocal, !hasCredentials else { return self }
    let parts = credentials.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    var signedIn = self
    let start = secret.index(secret.startIndex, offsetBy: scheme.rawValue.count + 3)
    signedIn.secret.insert(contentsOf: parts.map(encoded).joined(separator: ":") + "@", at: start)
    return signedIn
  }

  package var description: String { display }
  package var customMirror: Mirror { Mirror(self, children: ["display": display], displayStyle: .struct) }
}
