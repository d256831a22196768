// swift-tools-version: 6.2
import PackageDescription

let swiftSettings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// A C module of this package, from `Sources/PATH`. In the optimised build the C library checks the buffers whose sizes the compiler knows.
func native(_ path: String, linking library: String? = nil, excluding files: [String] = []) -> Target {
  .target(
    name: name(path), path: "Sources/\(path)", exclude: files,
    cSettings: [.define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release))],
    linkerSettings: library.map { [.linkedLibrary($0)] })
}

/// A Swift module of this package, from `Sources/PATH`.
func module(_ path: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
  .target(
    name: name(path), dependencies: dependencies, path: "Sources/\(path)", resources: resources,
    swiftSettings: swiftSettings)
}

/// A program of this package, from `Sources/PATH`.
func program(
  _ path: String, _ dependencies: [Target.Dependency], excluding folders: [String] = [],
  linkerSettings: [LinkerSetting]? = nil
) -> Target {
  .executableTarget(
    name: name(path), dependencies: dependencies, path: "Sources/\(path)", exclude: folders,
    swiftSettings: swiftSettings, linkerSettings: linkerSettings)
}

/// The last part of a path.
func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

/// The tests of one part, or of the whole (`Blackbox`). Fixtures are read where they lie. Only what they test is optimised: optimising
/// the tests, too, takes more than twice the processor time.
func tests(_ name: String, _ dependencies: [Target.Dependency], excluding folders: [String] = []) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, exclude: folders, swiftSettings: swiftSettings + [.unsafeFlags(["-Onone"])])
}

let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")

let package = Package(
  name: "waymark",
  products: [
    // The base: cameras, codes, onboarding, anchors, scenes, the socket. `waymark-station` is the same with more.
    .executable(name: "waymark", targets: ["waymark"]),
    .executable(name: "waymark-station", targets: ["waymark-station"]),
    .executable(name: "waymark-bridge", targets: ["waymark-bridge"]),
    .executable(name: "waymark-gateway", targets: ["waymark-gateway"]),
    .executable(name: "waymark-text", targets: ["waymark-text"]),
    .executable(name: "waymark-pictures", targets: ["waymark-pictures"]),
    .executable(name: "waymark-cameras", targets: ["waymark-cameras"]),
    // With the modules whose types they show.
    .library(name: "WaymarkBarcodes", targets: ["WaymarkBarcodes", "WaymarkImage", "WaymarkSystem"]),
    .library(name: "WaymarkOnboarding", targets: ["WaymarkOnboarding", "WaymarkSystem"]),
    .library(name: "WaymarkAnchors", targets: ["WaymarkAnchors", "WaymarkImage", "WaymarkSystem"]),
    .library(name: "WaymarkClient", targets: ["WaymarkClient", "WaymarkProtocol", "WaymarkSystem"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.2"),
    // Without its reading of configurations, which would bring a package that nothing here uses.
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: ["FullFoundation"]),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
  ],
  // Leaves first: an import only ever points up this list.
  targets: [
    // Foundation: what knows nothing of scanning.
    native("Foundation/CMemory"),
    native("Foundation/CKernels"),
    native("Foundation/CJPEG", linking: "jpeg"),
    native("Foundation/CPNG", linking: "png16"),
    native("Foundation/CWebP", linking: "webp"),
    native("Foundation/CYAML", linking: "yaml"),
    native("Foundation/CZlib", linking: "z"),
    native("Foundation/CModels", excluding: ["anchor-descriptor.model"]),
    native("Foundation/CCrypto", linking: "crypto"),
    module("Foundation/WaymarkSystem", []),
    module("Foundation/WaymarkCrypto", ["WaymarkSystem", "CCrypto"]),
    module("Foundation/WaymarkConfiguration", ["WaymarkSystem", "CYAML"]),
    module("Foundation/WaymarkImage", ["WaymarkSystem", "CKernels", "CJPEG", "CPNG", "CWebP"]),

    // Codes.
    native("Codes/CUnicode"),
    native("Codes/CZBar", linking: "zbar"),
    module("Codes/WaymarkBarcodes", ["WaymarkSystem", "WaymarkImage", "CKernels", "CZBar"]),
    module("Codes/WaymarkOnboarding", ["WaymarkSystem", "WaymarkConfiguration", "WaymarkCrypto", "CUnicode"]),

    // Image anchors and what stands on them.
    module("Anchors/WaymarkAnchors", ["WaymarkSystem", "WaymarkImage", "CModels", "CKernels"]),
    module(
      "Anchors/WaymarkScenes", ["WaymarkSystem", "WaymarkConfiguration", "WaymarkImage", "WaymarkBarcodes"]),

    // The service, its clients, and the program of the base.
    native("Service/CFeedback"),
    native("Service/CV4L2", linking: "v4l2"),
    native("Service/CProtocol", excluding: ["protocol.json"]),
    native("Service/CSandbox"),
    native("Service/CSignals"),
    module("Service/WaymarkFrames", ["WaymarkSystem", "WaymarkImage"]),
    module("Service/WaymarkCamera", ["WaymarkSystem", "WaymarkImage", "WaymarkFrames", "CV4L2"]),
    module("Service/WaymarkProtocol", ["WaymarkSystem", "CProtocol"]),
    module(
      "Service/WaymarkServer", ["WaymarkSystem", "WaymarkProtocol", "CSignals", nioCore, nioPosix, logging]),
    module("Service/WaymarkClient", ["WaymarkSystem", "WaymarkProtocol", nioCore, nioPosix]),
    module(
      "Service/WaymarkWorker",
      ["WaymarkSystem", "WaymarkBarcodes", "WaymarkImage", "WaymarkFrames", "CMemory", "CSandbox"]),
    module(
      "Service/WaymarkService",
      [
        "WaymarkSystem", "WaymarkConfiguration", "WaymarkWorker", "WaymarkProtocol", "WaymarkServer", "WaymarkCamera",
        "WaymarkImage", "WaymarkFrames", "WaymarkBarcodes", "WaymarkOnboarding", "WaymarkAnchors", "WaymarkScenes",
        "CMemory", "CSignals", nioCore, nioPosix, logging,
      ]),
    module(
      "Service/WaymarkCommands",
      [
        "CFeedback", "CSignals", "WaymarkSystem", "WaymarkConfiguration", "WaymarkImage", "WaymarkBarcodes",
        "WaymarkOnboarding", "WaymarkAnchors", "WaymarkScenes", "WaymarkCamera", "WaymarkProtocol", "WaymarkWorker",
        "WaymarkService", "WaymarkClient", arguments,
      ]),
    program("Service/waymark", ["WaymarkCommands", "WaymarkService", arguments]),

    // The station: documents, text, forms, signatures, accounts, counting, typing, the page.
    native("Station/CKeyboard", linking: "xkbcommon"),
    native("Station/CTesseract", linking: "dl"),
    native("Station/CPageModels", excluding: ["page-network.model", "page-scorers.model"]),
    native("Station/CTextModel", excluding: ["text-network.model", "word-network.model", "NOTICE"]),
    native("Station/CGlyphs", excluding: ["zone-glyphs.model", "signature-font.bin"]),
    module("Station/WaymarkPeople", ["WaymarkSystem", "WaymarkImage", "WaymarkCrypto", "CGlyphs"]),
    module("Station/WaymarkDocuments", ["WaymarkSystem", "WaymarkCrypto", "WaymarkImage", "CPageModels", "CZlib"]),
    module("Station/WaymarkText", ["WaymarkSystem", "WaymarkImage", "WaymarkWorker", "CSandbox", "CGlyphs"]),
    module(
      "Station/WaymarkStation",
      [
        "WaymarkSystem", "WaymarkConfiguration", "WaymarkImage", "WaymarkFrames", "WaymarkOnboarding",
        "WaymarkDocuments", "WaymarkText", "WaymarkPeople", "WaymarkProtocol", "WaymarkServer", "WaymarkWorker",
        "WaymarkService", "CKeyboard", nioCore, nioPosix, logging,
      ]),
    // What servers of HTTP share.
    module(
      "Beside/WaymarkHTTP",
      [
        "WaymarkSystem", hummingbird, .product(name: "HummingbirdCore", package: "hummingbird"), logging, nioCore,
        lifecycle, signals,
      ]),
    module(
      "Station/WaymarkKiosk",
      [
        "WaymarkSystem", "WaymarkConfiguration", "WaymarkClient", "WaymarkProtocol", "WaymarkHTTP", "CZlib",
        hummingbird, "WaymarkCrypto", logging, nioCore, lifecycle, signals,
      ],
      resources: [.copy("Resources")]),
    program(
      "Station/waymark-station",
      [
        "WaymarkSystem", "WaymarkImage", "WaymarkBarcodes", "WaymarkProtocol", "WaymarkClient", "WaymarkService",
        "WaymarkCommands", "WaymarkDocuments", "WaymarkText", "WaymarkStation", "WaymarkKiosk", arguments, logging,
      ]),
    // Reads lines of text for `waymark-station`, where its own package is installed.
    program(
      "Station/waymark-text", ["CTesseract", "CTextModel", "WaymarkImage", "WaymarkText", "WaymarkWorker"]),

    // Programs beside the service, each in a package of its own.
    native("Beside/CMosquitto", linking: "mosquitto"),
    native("Beside/CPictures", linking: "dl"),
    native("Beside/CSQLite", linking: "sqlite3"),
    module("Beside/WaymarkSpool", ["WaymarkSystem", "WaymarkClient", "WaymarkProtocol", "CSQLite"]),
    program(
      "Beside/waymark-bridge",
      [
        "CMosquitto", "WaymarkSystem", "WaymarkConfiguration", "WaymarkProtocol", "WaymarkClient", "WaymarkSpool",
        arguments,
      ]),
    program(
      "Beside/waymark-gateway",
      [
        "WaymarkSystem", "WaymarkConfiguration", "WaymarkClient", "WaymarkProtocol", "WaymarkHTTP", "WaymarkSpool",
        "WaymarkCrypto", arguments, hummingbird, .product(name: "HummingbirdTLS", package: "hummingbird"), logging,
        nioCore,
        .product(name: "NIOHTTP1", package: "swift-nio"), nioPosix,
        .product(name: "NIOSSL", package: "swift-nio-ssl"), .product(name: "NIOWebSocket", package: "swift-nio"),
      ],
      excluding: ["Page"]),
    // Decodes the picture files that take large libraries.
    program(
      "Beside/waymark-pictures", ["CPictures", "WaymarkSystem", "WaymarkImage", "WaymarkWorker"],
      // The calls that the libraries are to find in place of what a sandbox refuses (CPictures/heif.c, CPictures/fonts.c).
      linkerSettings: [
        .unsafeFlags(
          ["de265_start_worker_threads", "fopen", "FT_New_Face"].flatMap {
            ["-Xlinker", "--export-dynamic-symbol=\($0)"]
          })
      ]),
    // Plays the cameras that are no devices.
    program("Beside/waymark-cameras", ["CSandbox", "WaymarkFrames"]),

    // The Swift client of the samples: a user of the library product.
    .executableTarget(
      name: "waymark-sample-client", dependencies: ["WaymarkClient", "WaymarkProtocol"], path: "Samples/clients/swift"),

    // What Benchmarks/socket/measure times in a process of its own.
    .executableTarget(
      name: "encoder-benchmark", dependencies: ["WaymarkProtocol", "WaymarkSystem"], path: "Benchmarks/encoder",
      swiftSettings: swiftSettings),

    // What the benchmarks and the tests against real drivers play cameras, frames and pictures through.
    .executableTarget(
      name: "waymark-probes",
      dependencies: [
        "WaymarkSystem", "WaymarkImage", "WaymarkFrames", "WaymarkBarcodes", "WaymarkAnchors", "WaymarkDocuments",
        "WaymarkCamera", "WaymarkProtocol", "WaymarkService", "WaymarkStation", "WaymarkWorker", arguments,
      ],
      path: "Benchmarks/probes", swiftSettings: swiftSettings),

    tests(
      "WaymarkSystemTests", ["WaymarkSystem"]),
    tests(
      "WaymarkJSONTests", ["WaymarkSystem"]),
    tests("WaymarkCryptoTests", ["WaymarkSystem", "WaymarkCrypto"]),
    tests(
      "WaymarkConfigurationTests", ["WaymarkSystem", "WaymarkConfiguration"]),
    tests(
      "WaymarkGeometryTests", ["WaymarkImage"]),
    tests(
      "WaymarkImageTests", ["WaymarkSystem", "WaymarkImage"]),
    tests(
      "WaymarkNetworksTests", ["WaymarkSystem", "WaymarkImage", "CKernels"]),
    tests(
      "WaymarkFramesTests", ["WaymarkSystem", "WaymarkFrames", "WaymarkImage"]),
    tests(
      "WaymarkSymbologiesTests", ["WaymarkBarcodes", "WaymarkImage"]),
    tests(
      "WaymarkBarcodesTests", ["WaymarkSystem", "WaymarkBarcodes", "WaymarkImage"]),
    tests(
      "WaymarkOnboardingTests",
      ["WaymarkSystem", "WaymarkConfiguration", "WaymarkOnboarding", "WaymarkCrypto"]),
    tests(
      "WaymarkBundlesTests", ["WaymarkSystem", "WaymarkOnboarding"]),
    tests(
      "WaymarkAccountsTests", ["WaymarkPeople", "WaymarkSystem"]),
    tests(
      "WaymarkAnchorsTests", ["WaymarkSystem", "WaymarkAnchors", "WaymarkImage", "CModels", "CKernels"]),
    tests(
      "WaymarkCountingTests", ["WaymarkStation", "WaymarkImage"]),
    tests(
      "WaymarkDocumentsTests", ["WaymarkSystem", "WaymarkDocuments", "WaymarkImage", "CPageModels"]),
    tests(
      "WaymarkTextTests", ["WaymarkSystem", "WaymarkText", "WaymarkImage", "CTextModel"]),
    tests(
      "WaymarkScenesTests", ["WaymarkSystem", "WaymarkScenes", "WaymarkBarcodes", "WaymarkImage"]),
    tests(
      "WaymarkSignatureTests", ["WaymarkSystem", "WaymarkPeople", "WaymarkImage"]),
    tests(
      "WaymarkCameraTests", ["WaymarkSystem", "WaymarkCamera", "WaymarkImage", "WaymarkFrames", "CV4L2"]),
    tests(
      "WaymarkFeedbackTests", ["WaymarkSystem", "WaymarkCommands"]),
    tests(
      "WaymarkKeysTests", ["WaymarkSystem", "WaymarkStation", "CKeyboard"]),
    tests(
      "WaymarkProtocolTests", ["WaymarkSystem", "WaymarkProtocol"]),
    tests(
      "WaymarkServerTests",
      ["WaymarkSystem", "WaymarkProtocol", "WaymarkServer", .product(name: "NIOCore", package: "swift-nio")]),
    tests(
      "WaymarkLoggingTests", ["WaymarkServer", .product(name: "Logging", package: "swift-log")]),
    tests(
      "WaymarkDiagnosticsTests",
      ["WaymarkCommands", "WaymarkClient", "WaymarkProtocol", "WaymarkSystem", "WaymarkImage"]),
    tests(
      "WaymarkSpoolTests", ["WaymarkSystem", "WaymarkSpool"]),
    tests(
      "WaymarkBridgeTests", ["WaymarkSystem", "WaymarkConfiguration", "WaymarkSpool", "waymark-bridge"]),
    tests(
      "WaymarkGatewayTests",
      [
        "WaymarkSystem", "WaymarkConfiguration", "WaymarkProtocol", "WaymarkClient", "WaymarkHTTP", "WaymarkSpool",
        "waymark-gateway",
      ]),
    tests(
      "WaymarkWorkerTests",
      [
        "WaymarkSystem", "WaymarkWorker", "WaymarkImage", "WaymarkFrames", "WaymarkBarcodes", "WaymarkDocuments",
        "WaymarkText", "CSandbox", "WaymarkStation",
      ]),
    tests(
      "WaymarkPipelineTests",
      [
        "WaymarkSystem", "WaymarkService", "WaymarkImage", "WaymarkFrames", "WaymarkBarcodes", "WaymarkOnboarding",
        "WaymarkDocuments", "WaymarkStation", "WaymarkText", "WaymarkProtocol",
      ]),
    tests(
      "WaymarkClientTests",
      ["WaymarkSystem", "WaymarkProtocol", "WaymarkClient", "WaymarkServer", "WaymarkService", logging, nioCore]),
    tests(
      "WaymarkServiceTests",
      [
        "WaymarkSystem", "WaymarkConfiguration", "WaymarkServer", "WaymarkService", "WaymarkProtocol", "WaymarkClient",
        "WaymarkCamera", "WaymarkImage", "WaymarkFrames", "WaymarkBarcodes", "WaymarkAnchors", "WaymarkDocuments",
        "WaymarkText",
        "WaymarkWorker", "WaymarkPeople", "WaymarkStation",
        "WaymarkOnboarding", "waymark-station", logging, nioCore, nioPosix,
      ]),
    tests(
      "WaymarkStationTests",
      [
        "WaymarkSystem", "WaymarkConfiguration", "WaymarkServer", "WaymarkService", "WaymarkProtocol", "WaymarkClient",
        "WaymarkImage", "WaymarkFrames", "WaymarkBarcodes", "WaymarkAnchors", "WaymarkDocuments", "WaymarkText",
        "WaymarkWorker", "WaymarkPeople", "WaymarkStation",
        "WaymarkOnboarding", "waymark-station", logging, nioCore, nioPosix,
      ]),
    tests(
      "WaymarkHTTPTests", ["WaymarkHTTP", "WaymarkSystem"]),
    tests(
      "WaymarkTypingTests", ["WaymarkConfiguration", "WaymarkStation", "WaymarkService", "waymark-station"]),
    tests(
      "WaymarkKioskTests", ["WaymarkSystem", "WaymarkConfiguration", "WaymarkHTTP", "WaymarkKiosk"]),
    // What the program's commands make of their words and of results, without starting it.
    tests(
      "WaymarkProgramTests",
      [
        "WaymarkCommands", "waymark-station", "WaymarkSystem", "WaymarkImage", "WaymarkBarcodes", "WaymarkProtocol",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    // Runs the built executable on pictures, sockets and terminals, as a user would.
    tests(
      "Blackbox", ["WaymarkImage"]),
  ]
)

// Some of the test targets alone, so that no other is built (`Scripts/sanitize`).
if let wanted = Context.environment["TEST_TARGETS"]?.split(separator: " ") {
  package.targets.removeAll { $0.type == .test && !wanted.contains(Substring($0.name)) }
}
