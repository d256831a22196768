import WaymarkSystem

/// The address of a network camera, of a camera of libcamera or PipeWire, or of a screen. It may contain a password, so its
/// description, dump and mirror show only `display`. `LocalCamera` below is a camera of this computer, and `StreamOptions`
/// determines how a stream is played.
package struct StreamAddress: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
  /// The schemes of supported addresses.
  package enum Scheme: String, Sendable, CaseIterable {
    case rtsp
    /// Motion JPEG over HTTP.
    case http
    case https
    /// A screen of X11: `screen:` for the screen in the environment, `screen::1` for a screen by its number.
    case screen
    /// A camera of libcamera: `libcamera:` for the first camera, `libcamera:ID` for a camera by its identifier.
    case libcamera
    /// A camera of PipeWire: `pipewire:` for the default camera, `pipewire:NAME` for a camera by its node's name or serial number.
    case pipewire

    /// True for schemes without a host after `//`, which play cameras or screens of this computer.
    var isLocal: Bool { self == .screen || playsCameras }
    /// True for cameras of this computer.
    var playsCameras: Bool { self == .libcamera || self == .pipewire }
  }

  package let scheme: Scheme
  /// The complete address, with user and password.
  package private(set) var secret: String
  /// The address without user, password, query and fragment, which may contain a token.
  package let display: String
  /// True if the address contains a user or a password.
  package let hasCredentials: Bool
  /// The camera of this computer with its parameters; nil for other schemes.
  package let camera: LocalCamera?

  /// The maximum bytes of an address.
  package static let byteLimit = 2048

  /// Returns the scheme of a text that looks like an address, in lower case; nil for paths.
  package static func scheme(of text: String) -> String? {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let word = text[..<colon].lowercased()
    let isAddress = text[colon...].hasPrefix("://") || Scheme(rawValue: word)?.isLocal == true
    return isAddress && !word.isEmpty && word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } ? word : nil
  }

  /// Parses an address; nil for an unknown scheme, a missing host, more than `byteLimit` bytes, or invalid bytes. Characters
  /// outside ASCII have to be percent-encoded (RFC 3986, section 2).
  package init?(_ text: String) {
    guard let word = Self.scheme(of: text), let scheme = Scheme(rawValue: word),
      (1...Self.byteLimit).contains(text.utf8.count),
      text.utf8.allSatisfy({
        // Quotes and backslashes are refused, since the address is quoted for ffmpeg.
        (0x21...0x7E).contains($0) && (scheme.playsCameras || $0 != 0x27 && $0 != 0x22 && $0 != 0x5C)
      })
    else { return nil }
    self.scheme = scheme
    secret = text
    let rest = text.dropFirst(word.count + 1)
    guard scheme != .screen else {
      // A display of this computer: a colon, its number, and an optional number of the screen after a dot.
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

  /// Returns the address with a user and a password.
  ///
  /// - Parameter credentials: `user:password`, with any characters.
  package func signedIn(_ credentials: String) -> StreamAddress {
    // Only the unreserved characters are not percent-encoded (RFC 3986, section 2.3).
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

/// A camera of this computer: the part of an address after the scheme, `NAME?width=1280&height=720&rate=30&format=MJPG`. Every part
/// is optional.
package struct LocalCamera: Sendable, Equatable {
  /// The name of the camera; nil for the default camera.
  private(set) var name: String?
  /// The requested width in pixels, height in pixels, and frames per second; nil for the camera's own values.
  private(set) var width: Int?
  private(set) var height: Int?
  private(set) var rate: Int?
  /// True if the camera sends Motion JPEG, which is passed through, instead of uncompressed pictures.
  private(set) var isMotionJPEG = false

  /// Parses the part after the scheme.
  ///
  /// - Parameter text: the percent-encoded name and the parameters.
  /// - Returns: nil for unknown or repeated parameters, and for values out of range.
  init?(_ text: Substring) {
    let written = text.prefix { $0 != "?" }
    guard !written.hasPrefix("//"), let name = PercentCoding.decode(written.utf8),
      !name.unicodeScalars.contains(where: \.isControl),
      let parameters = PercentCoding.items(String(text.dropFirst(written.count + 1)))
    else { return nil }
    self.name = name.isEmpty ? nil : name
    for parameter in parameters {
      let number = Int(parameter.value) ?? 0
      switch parameter.name {
      case "width" where width == nil && (1...16384).contains(number): width = number
      case "height" where height == nil && (1...16384).contains(number): height = number
      case "rate" where rate == nil && (1...1000).contains(number): rate = number
      case "format" where !isMotionJPEG && parameter.value == "MJPG": isMotionJPEG = true
      default: return nil
      }
    }
  }
}

// MARK: - Options

/// The rate, the repetition and the time limits with which a stream is played.
package struct StreamOptions: Sendable {
  /// The frames per second of a file; nil for the rate in its header, or 30. Other streams are played as they arrive.
  var rate: Double?
  /// True to play a file again after its end.
  var loops: Bool
  /// The transform that turns the pictures upright.
  var transform: FrameTransform
  /// The seconds without a first frame after which an address is stalled.
  var connectTimeout = 12.0
  /// The seconds after which a stalled address is opened again.
  var reopensAfter = 3.0
  /// The seconds without a frame after which a stream is stalled.
  var frameTimeout: Double
  /// The first and the maximum pause before a stream that ended or broke is opened again, in seconds.
  var pause: ClosedRange<Double>

  package init(
    rate: Double? = nil, loops: Bool = true, transform: FrameTransform = .identity, frameTimeout: Double = 2,
    pause: ClosedRange<Double> = 0.25...5
  ) {
    (self.rate, self.loops, self.transform) = (rate, loops, transform)
    (self.frameTimeout, self.pause) = (frameTimeout, pause)
  }
}
