package import WaymarkHTTP
import WaymarkSystem

/// The settings of the kiosk's page and of its server.
package struct KioskOptions: Sendable {
  /// An entry of the start view.
  package enum View: String, CaseIterable, Sendable {
    /// The onboarding scanner.
    case onboard
    /// The AR scanner.
    case ar
    /// The document scanner.
    case document
    /// The form that a barcode fills.
    case field
    /// Counting the codes of a shelf.
    case count
    /// Onboarding and signing in, before anything else, where accounts are configured.
    case account
  }

  /// The address to listen on.
  package var host = "127.0.0.1"
  /// The port; 0 lets the system choose.
  package var port = 8631
  /// Further addresses of the page, such as the addresses of a proxy.
  package var origins: [HTTPOrigin] = []
  /// The entries of the start view.
  package var views = View.allCases
  /// The fixed language; nil for the browser's language, which visitors can change.
  package var language: String?
  /// The seconds for which the last message is shown before the start view returns.
  package var returnSeconds = 10.0
  /// The seconds without input after which the start view returns; 0 for never.
  package var idleSeconds = 120.0
  /// True if pictures may be uploaded.
  package var upload = true
  /// True if the page shows an on-screen keyboard.
  package var keyboard = false
  /// The share of the screen's height within reach of hands, measured from the lower edge: 0 to 1.
  package var reach = 1.0
  /// True if the screen cannot be moved, so that people hold things up to its camera.
  package var isFixed = false
  /// The integrator's settings of the page.
  package var page = PageSettings()
  /// The address under which phones fetch results; nil if this is not offered.
  package var pickup: HTTPOrigin?
  /// The seconds for which a phone can fetch a result.
  package var pickupSeconds = 300.0
  /// The limits of connections and requests.
  package var limits = HTTPLimits()
  /// The folder with the page's files.
  package var assets: String
  /// The token that authenticates the cookies of browsers.
  package var token: KioskToken

  /// The folder of the page's files: beside the executable in a build folder, or the folder of an installed package.
  package static var installedAssets: String { Assets.defaultFolder() }

  package init(assets: String, token: KioskToken) {
    self.assets = assets
    self.token = token
  }
}

extension KioskOptions {
  /// Parses `ADDRESS:PORT`; nil if it is invalid.
  package static func listener(_ text: String) -> (host: String, port: Int)? {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else { return nil }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    return host.isEmpty ? nil : (host, Int(port))
  }

  /// Parses the address of a page: `http` or `https`, a host and perhaps a port; nil if it is invalid.
  package static func origin(_ text: String) -> HTTPOrigin? { HTTPOrigin(text) }

  /// The share of the screen, measured from its lower edge, that is below 1.2 m. This is the highest operable part of ISO
  /// 21542:2021 and of the ADA Standards (308.2) for a side or forward reach from a wheelchair.
  ///
  /// - Parameter edges: the heights of the screen's lower and upper edge in metres, such as `0.6,1.8`.
  /// - Returns: nil if these are not two rising heights from 0 to 10 m, or the lower edge is at 1.1 m or above.
  package static func reachableShare(_ edges: String) -> Double? {
    let edges = edges.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    guard edges.count == 2, let low = edges[0], let high = edges[1], low >= 0, low < 1.1, high > low, high <= 10 else {
      return nil
    }
    return min(1, (1.2 - low) / (high - low))
  }

  /// The host as it is written in an address: IPv6 in brackets.
  private var authority: String { host.contains(":") ? "[\(host)]" : host }

  /// The address of the page on this machine.
  package func address(port: Int) -> String { "http://\(authority):\(port)/" }

  /// Returns the addresses that open the page with a launch code; the address on this machine is the first.
  package func launchAddresses(port: Int, code: String) -> [String] {
    ([address(port: port)] + origins.map { "\($0.text)/" }).map { "\($0)?token=\(code)" }
  }

  /// Warnings about the address to listen on.
  package var cautions: [(message: String, hint: String)] {
    var cautions: [(message: String, hint: String)] = []
    if !["127.0.0.1", "[::1]", "localhost"].contains(authority) {
      cautions.append(
        (
          "everyone who reaches \(authority) can try to open this page, over a connection that is not encrypted.",
          """
          Listen on 127.0.0.1, put a proxy with TLS before it and name its address with --origin, unless this network is
            yours alone.
          """
        ))
    }
    if ["0.0.0.0", "[::]"].contains(authority), origins.isEmpty {
      cautions.append(
        (
          "\(authority) is not an address that other devices can open, and the page is refused under any other name.",
          "Name the address they open with --origin, such as http://192.0.2.7:\(port), or with --listen."
        ))
    }
    return cautions
  }
}
