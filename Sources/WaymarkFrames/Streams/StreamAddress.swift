/// The address of a camera on the network, or of a screen. It may hold a password: printed, dumped and mirrored it shows `display`.
package struct StreamAddress: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
  /// The kinds of addresses that are played.
  package enum Scheme: String, Sendable, CaseIterable {
    case rtsp
    /// Motion JPEG over HTTP.
    case http
    case https
    /// A screen of X11: `screen:` for that of the environment, `screen::1` for one by its number.
    case screen
  }

  package let scheme: Scheme
  /// All of it, with user and password.
  package private(set) var secret: String
  /// Without user, password and what follows the path, which may hold a token.
  package let display: String
  /// True if it names a user or a password.
  package let hasCredentials: Bool

  /// No address is longer, in bytes.
  package static let byteLimit = 2048

  /// The scheme of something that looks like an address; nil for paths.
  package static func scheme(of text: String) -> String? {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let word = text[..<colon].lowercased()
    let isAddress = text[colon...].hasPrefix("://") || word == Scheme.screen.rawValue
    return isAddress && !word.isEmpty && word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } ? word : nil
  }

  /// The address of a text; nil for other schemes, without a host, and for bytes that belong in no address: what is not ASCII is written
  /// with percent signs (RFC 3986, section 2).
  package init?(_ text: String) {
    guard let word = Self.scheme(of: text), let scheme = Scheme(rawValue: word),
      (1...Self.byteLimit).contains(text.utf8.count),
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x27 && $0 != 0x22 && $0 != 0x5C })
    else { return nil }
    self.scheme = scheme
    secret = text
    let rest = text.dropFirst(word.count + 1)
    guard scheme != .screen else {
      // A display of this computer: a colon, its number, perhaps that of its screen.
      guard rest.allSatisfy({ $0 == ":" || $0 == "." || $0.isNumber }), rest.isEmpty || rest.first == ":" else {
        return nil
      }
      (display, hasCredentials) = (text, false)
      return
    }
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
    guard scheme != .screen, !hasCredentials else { return self }
    let parts = credentials.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    var signedIn = self
    let start = secret.index(secret.startIndex, offsetBy: scheme.rawValue.count + 3)
    signedIn.secret.insert(contentsOf: parts.map(encoded).joined(separator: ":") + "@", at: start)
    return signedIn
  }

  package var description: String { display }
  package var customMirror: Mirror { Mirror(self, children: ["display": display], displayStyle: .struct) }
}

/// How ffmpeg is told to play an address as Y4M: arguments, which every user of a computer can read, and a script, which holds the address
/// and reaches it through a descriptor.
package struct StreamScript: Equatable {
  package let arguments: [String]
  /// nil: there is nothing to keep from the arguments.
  package let script: String?

  /// - Parameters:
  ///   - descriptor: the pipe of the script.
  ///   - display: the display of the environment.
  package init(_ address: StreamAddress, descriptor: Int32, display: String) {
    let common = ["-nostdin", "-hide_banner", "-loglevel", "quiet"]
    // As it comes: no frame twice, none left out, none waited for. Without sound.
    let output = [
      "-map", "0:v:0", "-an", "-fps_mode", "passthrough", "-pix_fmt", "yuv420p", "-f", "yuv4mpegpipe", "pipe:1",
    ]
    guard address.scheme != .screen else {
      let wanted = String(address.secret.dropFirst("screen:".count))
      let input = ["-f", "x11grab", "-framerate", "15", "-i", wanted.isEmpty ? display : wanted]
      (arguments, script) = (common + input + output, nil)
      return
    }
    // A stranger answers: it gets neither other protocols nor other formats than those that were meant.
    let input = [
      "-protocol_whitelist", "pipe,rtsp,rtp,udp,tcp,tls,http,https", "-format_whitelist",
      "concat,rtsp,sdp,rtp,mpjpeg,mjpeg,jpeg_pipe", "-f", "concat", "-safe", "0", "-i", "pipe:\(descriptor)",
    ]
    // In microseconds and bytes. A second of a stream tells its form.
    var options = ["probesize 500000", "analyzeduration 1000000", "fflags nobuffer"]
    switch address.scheme {
    case .rtsp: options += ["rtsp_transport tcp", "timeout 5000000"]
    case .https: options += ["rw_timeout 5000000", "tls_verify 1", "ca_file /etc/ssl/certs/ca-certificates.crt"]
    case .http: options += ["rw_timeout 5000000"]
    case .screen: break
    }
    arguments = common + input + output
    script =
      (["ffconcat version 1.0", "file '\(address.secret)'"] + options.map { "option \($0)" })
      .joined(separator: "\n") + "\n"
  }
}
