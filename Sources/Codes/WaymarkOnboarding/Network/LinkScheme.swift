/// Facts about URL schemes that are known without asking the system who handles them.
enum LinkScheme {
  /// Schemes that run code, read files, reach into other apps or start a call or a login when a link is followed. No
  /// policy can make one of them an onboarding link.
  private static let dangerous: Set<String> = [
    "about", "blob", "cid", "chrome", "content", "data", "facetime", "file", "filesystem", "ftp", "ftps", "http",
    "https",
    "imap", "intent", "jar", "javascript", "jdbc", "ldap", "ldaps", "livescript", "magnet", "mailto", "market", "mhtml",
    "mocha", "ms-appinstaller", "nfs", "rdp", "resource", "rtsp", "sftp", "sip", "sips", "sms", "smsto", "smb", "ssh",
    "svn+ssh", "git+ssh", "steam", "tel", "telnet", "vbscript", "view-source", "vnc", "webcal", "ws", "wss",
    "x-apple.systempreferences",
  ]

  /// Returns whether a scheme, in lower case, must never be taken for an app's own.
  static func isDangerous(_ scheme: String) -> Bool {
    dangerous.contains(scheme) || scheme.hasPrefix("ms-") || scheme.hasPrefix("search-ms")
  }

  /// Returns whether an address within a payload may have a scheme (in lower case): the web's own, and those of apps; empty for an
  /// address that leaves its scheme open.
  static func mayBeFollowed(_ scheme: String) -> Bool {
    ["", "https", "http", "wss", "ws"].contains(scheme) || !isDangerous(scheme)
  }

  /// Returns whether a scheme looks like one that an app registered for itself: a domain name in reverse order (RFC 8252,
  /// section 7.1). Schemes of the system have no dot, but for the `beep`, `lwz`, `xpc` and `z39.50` families.
  static func isPrivateUse(_ scheme: String) -> Bool {
    let labels = scheme.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.count >= 2, labels.allSatisfy({ !$0.isEmpty }), !isDangerous(scheme) else { return false }
    return !["iris", "soap", "xmlrpc", "z39"].contains(String(labels[0]) ?? "")
  }

  /// Returns whether a text has the form of a scheme (RFC 3986, 3.1).
  static func isScheme(_ text: String) -> Bool { URLParts("\(text)://") != nil }
}
