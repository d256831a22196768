public import WaymarkSystem

/// A kind of payload that an integrator declares.
public struct CustomKind: Sendable, Hashable {
  /// How such a payload is recognised.
  public enum Form: Sendable, Hashable {
    /// A JSON object that has all these keys; a key may be a path such as `server.address`.
    case json(requiredKeys: [String])
    /// A URL that fits this pattern.
    case url(URLPattern)
  }

  /// Its word.
  public let kind: PayloadKind
  /// How it is recognised.
  public let form: Form
  /// Where the host stands: the key of a JSON object, or the query item of a URL; nil for a URL's own host, and for a
  /// JSON object that has none.
  public let host: String?
  /// The keys whose values are secret, whatever they sound like.
  public let secrets: Set<String>
  /// The keys whose values observers may see, besides the host's.
  public let shown: Set<String>

  /// Declares a kind; throws `badPolicy` when its word is taken or says nothing.
  public init(
    _ kind: PayloadKind, form: Form, host: String? = nil, secrets: Set<String> = [],
    shown: Set<String> = []
  ) throws(OnboardingError) {
    let name = DisplayText.escaped(kind.rawValue, limit: 40)
    if PayloadKind.builtIn.contains(kind) {
      throw OnboardingError(
        .badPolicy, "The kind \"\(name)\" is built in and cannot be declared again.", hint: "Choose another name.")
    }
    if case .json(let keys) = form, keys.isEmpty || keys.contains("") {
      throw OnboardingError(
        .badPolicy, "The kind \"\(name)\" requires no key, so every JSON object would match.",
        hint: "List the keys that identify it under \"json\".")
    }
    self.kind = kind
    self.form = form
    self.host = host
    self.secrets = secrets
    self.shown = shown
  }

  /// A URL pattern: a scheme, a host that may start with `*.`, and a path in which `*` stands for anything.
  public struct URLPattern: Sendable, Hashable {
    package let scheme: String
    package let host: HostPattern?
    package let path: [String]

    /// Reads a pattern such as `https://*.example.com/enrol/*` or `acme-setup://*`.
    public init(_ text: String) throws(OnboardingError) {
      guard let parts = URLParts(text), parts.query == nil, parts.fragment == nil else {
        throw OnboardingError(
          .badPolicy, "\"\(DisplayText.escaped(text, limit: 80))\" is not a URL pattern.",
          hint: "Write scheme://host/path, for example https://*.example.com/enrol/*, without ? and #.")
      }
      scheme = parts.scheme
      let isWeb = scheme == "https" || scheme == "http"
      guard isWeb || !LinkScheme.isDangerous(scheme) else {
        throw OnboardingError(
          .badPolicy, "Links of the scheme \"\(scheme)\" are never accepted.",
          hint: "Write https, or the scheme that your app has registered.")
      }
      host = parts.authority.isEmpty || parts.authority == "*" ? nil : try HostPattern(parts.authority)
      // Without a path any path will do.
      let pieces = (parts.path.isEmpty ? "*" : parts.path).split(separator: "*", omittingEmptySubsequences: false)
      path = pieces.compactMap { PercentCoding.decode($0.utf8) }
      let plain = PercentCoding.decode(parts.path.utf8)
      guard path.count == pieces.count, parts.path.isEmpty || URLPath.resolved(parts.path) == plain else {
        throw OnboardingError(
          .badPolicy, "The path of \"\(DisplayText.escaped(text, limit: 80))\" can be read in more than one way.",
          hint: "Write it without . and .. and with plain characters.")
      }
    }

    /// Returns whether an address fits.
    package func matches(_ address: WebAddress) -> Bool {
      guard address.scheme == scheme else { return false }
      if let host {
        guard case .success(let name) = address.host,
          host.matches(name, port: address.port ?? (scheme == "http" ? 80 : 443))
        else { return false }
      }
      // The path that a server would act on, not the one that is written.
      guard let plain = URLPath.resolved(address.path) else { return false }
      return Self.matches(Array(plain.utf8)[...], path.map { Array($0.utf8) })
    }

    /// Pieces with stars between, found from left to right: the leftmost find leaves most for the rest.
    private static func matches(_ text: ArraySlice<UInt8>, _ pieces: [[UInt8]]) -> Bool {
      guard let first = pieces.first, let last = pieces.last, text.starts(with: first) else { return false }
      if pieces.count == 1 { return text.count == first.count }
      var rest = text.dropFirst(first.count)
      for piece in pieces.dropFirst().dropLast() {
        guard let found = rest.firstRange(of: piece) else { return false }
        rest = rest[found.upperBound...]
      }
      return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
    }
  }
}
