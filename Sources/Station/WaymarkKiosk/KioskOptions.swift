package import WaymarkHTTP

/// How a kiosk is set up.
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
    /// Counting what is on a shelf.
    case count
    /// Onboarding and signing in, before anything else, where accounts are configured.
    case account
  }

  /// The address to listen on.
  package var host = "127.0.0.1"
  /// The port; 0 lets the system choose.
  package var port = 8631
  /// Under which other addresses browsers reach it, through a proxy.
  package var origins: [HTTPOrigin] = []
  /// The entries of the start view.
  package var views = View.allCases
  /// The language, or `nil` to follow the browser and let the person choose.
  package var language: String?
  /// How long "handed over" stays before the start view comes back, in seconds.
  package var returnSeconds = 10.0
  /// How long a page nobody touches and that sees nothing stays where it is, in seconds; 0 for ever.
  package var idleSeconds = 120.0
  /// True if a person may hand in a picture from their own device.
  package var upload = true
  /// True if the page brings a keyboard of its own.
  package var keyboard = false
  /// The share of the screen's height, from below, that hands reach: 0 to 1.
  package var reach = 1.0
  /// True if the screen stands fixed, and things are held up to its camera.
  package var isFixed = false
  /// The integrator's settings of the page.
  package var page = PageSettings()
  /// The address under which phones take results home; nil where that is not offered.
  package var pickup: HTTPOrigin?
  /// How long a result waits for that, in seconds.
  package var pickupSeconds = 300.0
  /// The limits of the clients.
  package var limits = HTTPLimits()
  /// The folder with the page's files.
  package var assets: String
  /// The token that proves the cookies of browsers.
  package var token: KioskToken

  /// Where the page's files are: beside the executable in a build folder, or where a package puts them.
  package static var installedAssets: String { Assets.defaultFolder() }

  package init(assets: String, token: KioskToken) {
    self.assets = assets
    self.token = token
  }
}
