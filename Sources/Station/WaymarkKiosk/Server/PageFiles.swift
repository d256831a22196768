import CZlib
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import WaymarkCrypto
import WaymarkHTTP
import WaymarkSystem

/// Serves the page, its files and its settings. The file also has `Assets`, the files in memory; `StaticAnswer`, the answer with a
/// file; and `PageTable`, the connections of the open pages to the service.
struct PageRoutes: Sendable {
  private let assets: Assets
  /// The settings of the page, as JSON.
  private let settings: String

  /// Loads the files of the page.
  ///
  /// - Throws: `KioskError` when they are missing.
  init(options: KioskOptions) throws(KioskError) {
    settings = options.shown
    assets = try Assets(
      folder: options.assets, configuration: settings, style: options.page.style,
      adding: options.page.logo.map { [$0.name: $0.file] } ?? [:])
  }

  func add(to router: Router<ConnectionContext>) {
    for method in [HTTPRequest.Method.get, .head] {
      router.on("/", method: method) { request, _ in respond("index.html", to: request) }
      router.on("/assets/**", method: method) { request, context in
        respond(context.parameters.getCatchAll().joined(separator: "/"), to: request)
      }
    }
    router.get("/api/config") { _, _ in
      Response(
        status: .ok, headers: [.contentType: "application/json"],
        body: .init(byteBuffer: ByteBuffer(string: settings)))
    }
  }

  private func respond(_ name: String, to request: Request) -> Response {
    guard let file = assets[name] else { return Response(status: .notFound) }
    let response = StaticAnswer(file: file).response(to: request)
    return request.method == .head ? response.createHeadResponse() : response
  }
}

extension KioskOptions {
  /// The settings of the page, as JSON.
  var shown: String {
    let configuration: JSONValue = [
      "fixed": .bool(isFixed), "idleSeconds": .double(idleSeconds), "keyboard": .bool(keyboard),
      "language": language.map(JSONValue.string) ?? .null, "page": page.json, "pickup": .bool(pickup != nil),
      "reach": .double(reach),
      "returnSeconds": .double(returnSeconds), "show": .array(views.map { .string($0.rawValue) }),
      "upload": .bool(upload),
    ]
    return configuration.compactText
  }
}

/// The connection to the service for each open page. The table does no I/O.
///
/// A browser may connect again under the same name while its old stream of events still seems open. A page uses the connection of
/// its newest stream; the end of an older stream does not remove it.
struct PageTable<Client: AnyObject> {
  private var streams = 0
  private var pages: [String: (stream: Int, client: Client)] = [:]

  /// The connection of a page; nil if its stream is not connected.
  subscript(page: String) -> Client? { pages[page]?.client }

  /// Begins a stream of events.
  ///
  /// - Returns: the number of the stream. Later streams have greater numbers.
  mutating func began() -> Int {
    streams += 1
    return streams
  }

  /// Sets the connection of a page's stream, unless the page has a newer stream.
  mutating func connected(_ page: String, stream: Int, _ client: Client) {
    if let newest = pages[page]?.stream, newest > stream { return }
    pages[page] = (stream, client)
  }

  /// Removes the connection of a stream that has ended, unless the page has a newer stream.
  mutating func ended(_ page: String, stream: Int) {
    if pages[page]?.stream == stream { pages[page] = nil }
  }
}

/// The page's files, read once and served from memory, so that no request is used as a path.
struct Assets: Sendable {
  /// The contents of a file, plain and compressed, with their validators.
  struct File: Sendable {
    let bytes: [UInt8]
    let contentType: String
    /// The contents as gzip; nil if that is not smaller.
    let compressed: [UInt8]?
    /// The first 12 bytes of the SHA-256 of the contents, in hexadecimal.
    private let digest: String

    init(_ data: Data, contentType: String) {
      bytes = Array(data)
      self.contentType = contentType
      compressed = Self.gzip(bytes)
      digest = HashFunction.sha256.hash(bytes).prefix(12).map { $0.digits(2, radix: 16) }.joined()
    }

    /// A strong validator of the plain bytes.
    var entityTag: String { "\"\(digest)\"" }

    /// A strong validator of the compressed bytes, which must differ from the validator of the plain bytes (RFC 9110, section
    /// 8.8.3.3).
    var compressedTag: String { "\"\(digest)-gzip\"" }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    private static func gzip(_ bytes: [UInt8]) -> [UInt8]? {
      let packed = [UInt8](unsafeUninitializedCapacity: wm_compress_bound(bytes.count)) { buffer, count in
        count = wm_compress(bytes, bytes.count, WM_GZIP, buffer.baseAddress, buffer.count)
      }
      return packed.isEmpty || packed.count >= bytes.count ? nil : packed
    }
  }

  private let files: [String: File]

  /// Reads all files below a folder, by their paths relative to it, and adds the settings to the head of `index.html`.
  ///
  /// - Parameters:
  ///   - configuration: the settings of the page as JSON.
  ///   - style: CSS rules that are applied after the page's own, served as `brand.css`.
  ///   - more: further files, by the names under which they are served.
  /// - Throws: `KioskError` with the code `assets` if there is no index.html.
  init(
    folder: String, configuration: String = "{}", style: String = "", adding more: [String: File] = [:]
  ) throws(KioskError) {
    var files: [String: File] = [:]
    let root = URL(fileURLWithPath: folder, isDirectory: true)
    let names = FileManager.default.enumerator(atPath: root.path)
    while let name = names?.nextObject() as? String {
      guard let type = Self.contentTypes[(name as NSString).pathExtension] else { continue }
      guard let data = try? Data(contentsOf: root.appendingPathComponent(name)) else { continue }
      files[name] = File(data, contentType: type)
    }
    guard let page = files["index.html"]?.text else {
      throw KioskError(
        code: .assets, message: "The page's files are not in \(folder).",
        hint: "Reinstall Waymark, or name the folder with --assets.")
    }
    files["index.html"] = Self.file(Self.head(of: page, configuration, isBranded: !style.isEmpty), "html")
    if !style.isEmpty { files["brand.css"] = Self.file(style, "css") }
    self.files = files.merging(more) { _, added in added }
  }

  private static func file(_ text: String, _ kind: String) -> File {
    File(Data(text.utf8), contentType: contentTypes[kind] ?? "")
  }

  /// The page with its settings in its head, so that it need not request them, and with the style sheet of the brand.
  private static func head(of page: String, _ configuration: String, isBranded: Bool) -> String {
    let page = page.replacing(
      "<meta name=\"waymark\" content=\"\">",
      with: "<meta name=\"waymark\" content=\"\(XMLText.escaped(configuration))\">")
    guard isBranded else { return page }
    return page.replacing(
      "</head>", with: "  <link rel=\"stylesheet\" href=\"/assets/brand.css\">\n</head>", maxReplacements: 1)
  }

  /// The file with exactly this relative path; nil if no file has it.
  subscript(name: String) -> File? { files[name] }

  private static let contentTypes = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml", "woff2": "font/woff2",
  ]

  /// The folder of the page's files: beside the executable in a build folder, or the folder of an installed package.
  static func defaultFolder() -> String {
    let folder = Folder.parent(of: ChildProgram.ownPath ?? "/usr/bin/waymark-station")
    let candidates = ["\(folder)/waymark_WaymarkKiosk.resources/Resources", "\(folder)/../share/waymark/kiosk"]
    return candidates.first { FileKind("\($0)/index.html") == .regular } ?? "/usr/share/waymark/kiosk"
  }
}

/// The answer to a request for a file of the page: the file or its requested part, compressed if the client accepts this, or 304.
///
/// Only files that are the same for all clients are compressed, because the length of a compressed answer would reveal a secret
/// next to text chosen by an attacker (BREACH). All other routes of the kiosk answer uncompressed.
struct StaticAnswer {
  let file: Assets.File

  func response(to request: Request) -> Response {
    let codings = AcceptedCodings(request.headers[.acceptEncoding])
    var headers: HTTPFields = [.contentType: file.contentType, .cacheControl: "no-cache", .acceptRanges: "bytes"]
    var bytes = file.bytes
    var tag = file.entityTag
    if let compressed = file.compressed {
      headers[.vary] = "Accept-Encoding"
      if codings.prefersGzip {
        headers[.contentEncoding] = "gzip"
        bytes = compressed
        tag = file.compressedTag
      }
    }
    guard headers[.contentEncoding] != nil || codings.takesIdentity else {
      return Response(status: .notAcceptable, headers: [.vary: "Accept-Encoding"])
    }
    headers[.eTag] = tag
    if Self.names(request.headers[.ifNoneMatch], tag) {
      headers[.contentEncoding] = nil
      return Response(status: .notModified, headers: headers)
    }
    switch wanted(by: request, tag: tag, size: bytes.count) {
    case .whole:
      headers[.contentLength] = String(bytes.count)
      return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    case .part(let range):
      headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)"
      headers[.contentLength] = String(range.count)
      return Response(
        status: .partialContent, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes[range])))
    case .outside:
      return Response(status: .rangeNotSatisfiable, headers: [.contentRange: "bytes */\(bytes.count)"])
    }
  }

  /// The requested part; the whole file if the client's version of the file is outdated (`If-Range`).
  private func wanted(by request: Request, tag: String, size: Int) -> RequestedRange {
    if let condition = request.headers[.ifRange], condition != tag { return .whole }
    return request.method == .get ? RequestedRange(request.headers[.range], size: size) : .whole
  }

  /// Returns whether a list of validators contains the tag, weak or strong, or `*`.
  private static func names(_ list: String?, _ tag: String) -> Bool {
    (list ?? "").split(separator: ",").contains { entry in
      let entry = entry.drop { $0 == " " }.prefix { $0 != " " }
      return entry == "*" || (entry.hasPrefix("W/") ? entry.dropFirst(2) : entry) == tag
    }
  }
}
