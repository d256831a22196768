import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import WaymarkHTTP
import WaymarkSystem

/// The files of the page for the person who sets the device up, read once and served from memory. They contain no secret: the page
/// asks for a token, and sends it with its requests like any other client.
package struct GatewayPage: Sendable {
  /// The files by their paths, each with its type.
  private static let files = [
    "/": ("index.html", "text/html; charset=utf-8"), "/assets/page.css": ("page.css", "text/css; charset=utf-8"),
    "/assets/page.js": ("page.js", "text/javascript; charset=utf-8"), "/assets/icon.svg": ("icon.svg", "image/svg+xml"),
    "/assets/fonts/inter-regular.woff2": ("fonts/inter-regular.woff2", "font/woff2"),
    "/assets/fonts/inter-semibold.woff2": ("fonts/inter-semibold.woff2", "font/woff2"),
  ]

  /// The content security policy: only files of this gateway, nothing inline, and no embedding in frames.
  private static let policy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "font-src 'self'",
    "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    "require-trusted-types-for 'script'", "trusted-types 'none'",
  ].joined(separator: "; ")

  /// The folder of the files: the folder in the package of this program, or else a folder beside the build.
  static var standardFolder: String {
    let folder = Folder.parent(of: ChildProgram.ownPath ?? "/usr/bin/waymark-gateway")
    let candidates = ["\(folder)/../share/waymark-gateway/page", "\(folder)/../../gateway-page"]
    return candidates.first { FileKind("\($0)/index.html") == .regular } ?? "/usr/share/waymark-gateway/page"
  }

  /// The folder of the files.
  let folder: String
  /// The bytes of the files by their paths, without missing files.
  let contents: [String: ByteBuffer]

  /// A sentence that the page is not installed, with the remedy; nil if it is installed.
  var absence: String? { contents["/"] == nil ? "the files of the page are not in \(folder). \(Self.remedy)" : nil }

  /// The remedy for missing files.
  private static let remedy = "Reinstall waymark-gateway, or name their folder with --page."

  /// Reads the files of a folder. Without the folder, the gateway has no page.
  init(folder: String = standardFolder) {
    self.folder = folder
    contents = Self.files.compactMapValues { name, _ in
      (try? WholeFile.read("\(folder)/\(name)", limit: 1 << 20)).map { ByteBuffer(bytes: $0) }
    }
  }

  /// Returns whether a path belongs to the page.
  static func has(_ path: String) -> Bool { files[path] != nil }

  /// The answer with the file of a path.
  func response(to path: String) -> Response {
    guard let (_, type) = Self.files[path], let bytes = contents[path] else {
      return GatewayAnswer.own(
        "unknownPath", "The files of the page are not installed.",
        hint: Self.remedy)
    }
    var headers: HTTPFields = [.contentType: type, .contentSecurityPolicy: Self.policy]
    headers[.init("Cross-Origin-Opener-Policy")!] = "same-origin"
    headers[.init("Permissions-Policy")!] = "camera=(), microphone=(), geolocation=()"
    return Response(status: .ok, headers: headers, body: .init(byteBuffer: bytes))
  }
}
