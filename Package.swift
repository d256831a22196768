// swift-tools-version: 6.2
import PackageDescription

let swiftSettings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// C code of this package. In the optimised build the C library checks the buffers whose sizes the compiler knows.
func native(_ name: String, linking library: String? = nil, excluding files: [String] = []) -> Target {
  .target(
    name: name, exclude: files, cSettings: [.define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release))],
    linkerSettings: library.map { [.linkedLibrary($0)] })
}

/// A Swift module of this package.
func module(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
  .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: swiftSettings)
}

/// The tests of one module, or of the whole (`Blackbox`). Fixtures are read where they lie.
func tests(_ name: String, _ dependencies: [Target.Dependency], excluding folders: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, exclude: folders, swiftSettings: swiftSettings)
}

let package = Package(
  name: "waymark",
  products: [
    .executable(name: "waymark", targets: ["waymark"]),
    .executable(name: "waymark-bridge", targets: ["waymark-bridge"]),
    .executable(name: "waymark-gateway", targets: ["waymark-gateway"]),
    .executable(name: "waymark-text", targets: ["waymark-text"]),
    .executable(name: "waymark-pictures", targets: ["waymark-pictures"]),
    .executable(name: "waymark-cameras", targets: ["waymark-cameras"]),
    // With the modules whose types they show.
    .library(
      name: "WaymarkBarcodes",
      targets: ["WaymarkBarcodes", "WaymarkSymbologies", "WaymarkImage", "WaymarkGeometry", "WaymarkSystem"]),
    .library(name: "WaymarkOnboarding", targets: ["WaymarkOnboarding", "WaymarkSystem"]),
    .library(
      name: "WaymarkAnchors",
      targets: ["WaymarkAnchors", "WaymarkNetworks", "WaymarkImage", "WaymarkGeometry", "WaymarkSystem"]),
    .library(name: "WaymarkClient", targets: ["WaymarkClient", "WaymarkProtocol", "WaymarkJSON", "WaymarkSystem"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.2"),
    // Without its reading of configurations, which would bring a package that nothing here uses.
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: ["FullFoundation"]),
    .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
  ],
  targets: [
    // C libraries and the shims that Swift cannot express.
    native("CFeedback"),
    native("CKeyboard", linking: "xkbcommon"),
    native("CZBar", linking: "zbar"),
    native("CV4L2", linking: "v4l2"),
    native("CJPEG", linking: "jpeg"),
    native("CPNG", linking: "png16"),
    native("CWebP", linking: "webp"),
    native("CZlib", linking: "z"),
    native("CCrypto", linking: "crypto"),
    native("CKernels"),
    native("CMemory"),
    native("CModels", excluding: ["anchor-descriptor.model", "page-network.model", "page-scorers.model"]),
    native("CTextModel", excluding: ["text-network.model"]),
    native("CProtocol", excluding: ["protocol.json"]),
    native("CSandbox"),
    native("CSignals"),
    native("CMosquitto", linking: "dl"),
    native("CTesseract", linking: "dl"),
    native("CPictures", linking: "dl"),

    // Modules, leaves first: an import only ever points up this list.
    module("WaymarkSystem", []),
    module("WaymarkJSON", []),
    module("WaymarkCrypto", ["WaymarkSystem", "CCrypto"]),
    module("WaymarkConfiguration", ["WaymarkSystem", "WaymarkJSON", .product(name: "Yams", package: "Yams")]),
    module("WaymarkGeometry", []),
    module("WaymarkImage", ["WaymarkSystem", "WaymarkGeometry", "CKernels", "CJPEG", "CPNG", "CWebP"]),
    module("WaymarkNetworks", ["WaymarkSystem", "WaymarkImage", "CKernels"]),
    module("WaymarkFrames", ["WaymarkSystem", "WaymarkImage"]),
    module("WaymarkSymbologies", ["WaymarkSystem"]),
    module(
      "WaymarkBarcodes",
      ["WaymarkSystem", "WaymarkImage", "WaymarkGeometry", "WaymarkSymbologies", "CKernels", "CZBar"]),
    module("WaymarkOnboarding", ["WaymarkSystem", "WaymarkJSON", "WaymarkCrypto", "WaymarkConfiguration"]),
    module("WaymarkBundles", ["WaymarkSystem", "WaymarkJSON", "WaymarkCrypto", "WaymarkOnboarding"]),
    module("WaymarkAccounts", ["WaymarkSystem", "WaymarkJSON", "WaymarkCrypto"]),
    module(
      "WaymarkAnchors", ["WaymarkSystem", "WaymarkImage", "WaymarkNetworks", "WaymarkGeometry", "CModels", "CKernels"]),
    module("WaymarkCounting", ["WaymarkGeometry"]),
    module(
      "WaymarkDocuments",
      ["WaymarkSystem", "WaymarkJSON", "WaymarkImage", "WaymarkNetworks", "WaymarkGeometry", "CModels", "CKernels"]),
    module("WaymarkText", ["WaymarkSystem", "WaymarkImage", "WaymarkNetworks", "WaymarkGeometry"]),
    module(
      "WaymarkScenes",
      [
        "WaymarkSystem", "WaymarkJSON", "WaymarkConfiguration", "WaymarkGeometry", "WaymarkImage",
        "WaymarkSymbologies", "WaymarkBarcodes",
      ]),
    module(
      "WaymarkSignature", ["WaymarkSystem", "WaymarkJSON", "WaymarkCrypto", "WaymarkImage", "WaymarkGeometry"]),
    module("WaymarkCamera", ["WaymarkSystem", "WaymarkImage", "WaymarkFrames", "CV4L2"]),
    module("WaymarkFeedback", ["WaymarkSystem", "CFeedback"]),
    module("WaymarkKeys", ["WaymarkSystem", "WaymarkSymbologies", "CKeyboard"]),
    module("WaymarkProtocol", ["WaymarkJSON", "WaymarkSystem", "CProtocol"]),
    module(
      "WaymarkServer",
      [
        "WaymarkSystem", "WaymarkJSON", "WaymarkProtocol", "CSignals",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    module("WaymarkLogging", ["WaymarkSystem", "WaymarkJSON", .product(name: "Logging", package: "swift-log")]),
    module(
      "WaymarkWorker",
      [
        "WaymarkSystem", "WaymarkSymbologies", "WaymarkBarcodes", "WaymarkNetworks", "WaymarkDocuments", "WaymarkText",
        "WaymarkImage", "WaymarkFrames", "WaymarkGeometry", "CMemory", "CSandbox",
      ]),
    module(
      "WaymarkPipeline",
      [
        "WaymarkSystem", "WaymarkImage", "WaymarkFrames", "WaymarkGeometry", "WaymarkSymbologies", "WaymarkBarcodes",
        "WaymarkOnboarding", "WaymarkAnchors",
        "WaymarkDocuments", "WaymarkText", "WaymarkScenes",
      ]),
    module(
      "WaymarkService",
      [
        "WaymarkSystem", "WaymarkJSON", "WaymarkConfiguration", "WaymarkPipeline", "WaymarkWorker", "WaymarkProtocol",
        "WaymarkServer", "WaymarkLogging", "WaymarkCamera",
        "WaymarkImage", "WaymarkFrames", "WaymarkGeometry",
        "WaymarkSymbologies", "WaymarkBarcodes", "WaymarkOnboarding", "WaymarkAccounts", "WaymarkAnchors",
        "WaymarkDocuments",
        "WaymarkText", "WaymarkScenes", "WaymarkCounting",
        "WaymarkSignature", "WaymarkCrypto", "CMemory", "CSignals",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ]),
    module(
      "WaymarkClient",
      [
        "WaymarkSystem", "WaymarkJSON", "WaymarkProtocol",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    module(
      "WaymarkDiagnostics",
      [
        "WaymarkSystem", "WaymarkJSON", "WaymarkConfiguration", "WaymarkOnboarding", "WaymarkFrames", "WaymarkCamera",
        "WaymarkProtocol", "WaymarkWorker", "WaymarkService", "WaymarkClient",
      ]),
    module(
      "WaymarkHTTP",
      [
        "WaymarkSystem", .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ]),
    module(
      "WaymarkTyping",
      [
        "WaymarkSystem", "WaymarkConfiguration", "WaymarkSymbologies", "WaymarkOnboarding", "WaymarkKeys",
        "WaymarkProtocol", "WaymarkService", "WaymarkClient",
      ]),
    module(
      "WaymarkKiosk",
      [
        "WaymarkSystem", "WaymarkJSON", "WaymarkConfiguration", "WaymarkClient", "WaymarkProtocol", "WaymarkHTTP",
        "WaymarkCrypto", "CZlib",
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ],
      resources: [.copy("Resources")]),
    module("WaymarkSpool", ["WaymarkSystem"]),
    module("WaymarkBridge", ["WaymarkSystem", "WaymarkJSON", "WaymarkConfiguration", "WaymarkSpool"]),
    .executableTarget(
      name: "waymark-bridge",
      dependencies: [
        "CMosquitto", "WaymarkSystem", "WaymarkJSON", "WaymarkProtocol", "WaymarkClient", "WaymarkSpool",
        "WaymarkBridge",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: swiftSettings),
    module(
      "WaymarkGateway",
      [
        "WaymarkSystem", "WaymarkJSON", "WaymarkConfiguration", "WaymarkClient", "WaymarkProtocol", "WaymarkHTTP",
        "WaymarkSpool", "WaymarkCrypto",
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdTLS", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
      ]),
    .executableTarget(
      name: "waymark-gateway",
      dependencies: [
        "WaymarkSystem", "WaymarkGateway", .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "waymark",
      dependencies: [
        "CSignals", "WaymarkSystem", "WaymarkJSON", "WaymarkConfiguration", "WaymarkGeometry", "WaymarkImage",
        "WaymarkFrames", "WaymarkSymbologies",
        "WaymarkBarcodes",
        "WaymarkOnboarding", "WaymarkBundles",
        "WaymarkAnchors", "WaymarkNetworks", "WaymarkDocuments", "WaymarkScenes", "WaymarkSignature", "WaymarkCamera",
        "WaymarkCounting", "WaymarkFeedback", "WaymarkKeys", "WaymarkText", "WaymarkProtocol",
        "WaymarkWorker", "WaymarkPipeline", "WaymarkServer", "WaymarkLogging", "WaymarkService", "WaymarkClient",
        "WaymarkDiagnostics", "WaymarkHTTP",
        "WaymarkKiosk", "WaymarkTyping",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: swiftSettings),

    // Reads lines of text for `waymark`, where its own package is installed.
    .executableTarget(
      name: "waymark-text",
      dependencies: ["CTesseract", "CTextModel", "WaymarkNetworks", "WaymarkImage", "WaymarkText", "WaymarkWorker"],
      swiftSettings: swiftSettings),

    // Decodes the picture files that take large libraries, where its own package is installed.
    .executableTarget(
      name: "waymark-pictures", dependencies: ["CPictures", "WaymarkSystem", "WaymarkImage", "WaymarkWorker"],
      swiftSettings: swiftSettings,
      // The calls that the libraries are to find in place of what a sandbox refuses (CPictures/heif.c, CPictures/fonts.c).
      linkerSettings: [
        .unsafeFlags(
          ["de265_start_worker_threads", "fopen", "FT_New_Face"].flatMap {
            ["-Xlinker", "--export-dynamic-symbol=\($0)"]
          })
      ]),

    // Plays the cameras that are no devices, where its own package is installed.
    .executableTarget(
      name: "waymark-cameras", dependencies: ["CSandbox", "WaymarkFrames"], swiftSettings: swiftSettings),

    // The Swift client of the samples: a user of the library product.
    .executableTarget(
      name: "waymark-sample-client", dependencies: ["WaymarkClient", "WaymarkProtocol"], path: "Samples/clients/swift"),

    // What Benchmarks/socket/measure times in a process of its own.
    .executableTarget(
      name: "encoder-benchmark", dependencies: ["WaymarkProtocol", "WaymarkJSON"], path: "Benchmarks/encoder",
      swiftSettings: swiftSettings),

    // What the benchmarks and the tests against real drivers play cameras, frames and pictures through.
    .executableTarget(
      name: "waymark-probes",
      dependencies: [
        "WaymarkSystem", "WaymarkJSON", "WaymarkGeometry", "WaymarkImage", "WaymarkFrames", "WaymarkSymbologies",
        "WaymarkBarcodes", "WaymarkAnchors", "WaymarkDocuments", "WaymarkCamera", "WaymarkPipeline", "WaymarkWorker",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Benchmarks/probes", swiftSettings: swiftSettings),

    tests("WaymarkSystemTests", ["WaymarkSystem"]),
    tests("WaymarkJSONTests", ["WaymarkJSON"]),
    tests("WaymarkCryptoTests", ["WaymarkSystem", "WaymarkCrypto"]),
    tests("WaymarkConfigurationTests", ["WaymarkSystem", "WaymarkConfiguration"]),
    tests("WaymarkGeometryTests", ["WaymarkGeometry"]),
    tests("WaymarkImageTests", ["WaymarkSystem", "WaymarkImage", "WaymarkGeometry"]),
    tests("WaymarkNetworksTests", ["WaymarkSystem", "WaymarkNetworks", "WaymarkImage", "CKernels"]),
    tests("WaymarkFramesTests", ["WaymarkSystem", "WaymarkFrames", "WaymarkImage"]),
    tests("WaymarkSymbologiesTests", ["WaymarkSymbologies", "WaymarkGeometry"]),
    tests(
      "WaymarkBarcodesTests",
      ["WaymarkSystem", "WaymarkBarcodes", "WaymarkSymbologies", "WaymarkImage", "WaymarkGeometry"]),
    tests(
      "WaymarkOnboardingTests",
      ["WaymarkSystem", "WaymarkConfiguration", "WaymarkJSON", "WaymarkCrypto", "WaymarkOnboarding"]),
    tests("WaymarkBundlesTests", ["WaymarkSystem", "WaymarkOnboarding", "WaymarkBundles"]),
    tests("WaymarkAccountsTests", ["WaymarkAccounts", "WaymarkJSON"]),
    tests(
      "WaymarkAnchorsTests",
      ["WaymarkSystem", "WaymarkAnchors", "WaymarkNetworks", "WaymarkImage", "WaymarkGeometry", "CModels", "CKernels"]),
    tests("WaymarkCountingTests", ["WaymarkCounting", "WaymarkGeometry"]),
    tests(
      "WaymarkDocumentsTests",
      ["WaymarkSystem", "WaymarkDocuments", "WaymarkNetworks", "WaymarkImage", "WaymarkGeometry", "CModels"]),
    tests(
      "WaymarkTextTests",
      ["WaymarkSystem", "WaymarkText", "WaymarkNetworks", "WaymarkImage", "WaymarkGeometry", "CTextModel"]),
    tests(
      "WaymarkScenesTests",
      [
        "WaymarkSystem", "WaymarkScenes", "WaymarkSymbologies", "WaymarkBarcodes", "WaymarkGeometry", "WaymarkImage",
      ]),
    tests("WaymarkSignatureTests", ["WaymarkSystem", "WaymarkSignature", "WaymarkImage"]),
    tests("WaymarkCameraTests", ["WaymarkSystem", "WaymarkCamera", "WaymarkImage", "WaymarkFrames", "CV4L2"]),
    tests("WaymarkFeedbackTests", ["WaymarkSystem", "WaymarkFeedback"]),
    tests("WaymarkKeysTests", ["WaymarkSystem", "WaymarkKeys", "CKeyboard"]),
    tests("WaymarkProtocolTests", ["WaymarkJSON", "WaymarkProtocol"]),
    tests(
      "WaymarkServerTests",
      ["WaymarkSystem", "WaymarkProtocol", "WaymarkServer", .product(name: "NIOCore", package: "swift-nio")]),
    tests("WaymarkLoggingTests", ["WaymarkLogging", .product(name: "Logging", package: "swift-log")]),
    tests(
      "WaymarkDiagnosticsTests", ["WaymarkDiagnostics", "WaymarkProtocol", "WaymarkJSON", "WaymarkGeometry"]),
    tests("WaymarkSpoolTests", ["WaymarkSystem", "WaymarkSpool"]),
    tests(
      "WaymarkBridgeTests", ["WaymarkSystem", "WaymarkJSON", "WaymarkConfiguration", "WaymarkSpool", "WaymarkBridge"]),
    tests(
      "WaymarkGatewayTests",
      [
        "WaymarkSystem", "WaymarkJSON", "WaymarkConfiguration", "WaymarkProtocol", "WaymarkHTTP", "WaymarkSpool",
        "WaymarkGateway",
      ]),
    tests(
      "WaymarkWorkerTests",
      [
        "WaymarkSystem", "WaymarkWorker", "WaymarkImage", "WaymarkFrames", "WaymarkSymbologies", "WaymarkBarcodes",
        "WaymarkDocuments",
        "WaymarkText",
        "WaymarkGeometry", "CSandbox",
      ]),
    tests(
      "WaymarkPipelineTests",
      [
        "WaymarkSystem", "WaymarkPipeline", "WaymarkImage", "WaymarkFrames", "WaymarkGeometry", "WaymarkSymbologies",
        "WaymarkBarcodes",
        "WaymarkOnboarding",
        "WaymarkDocuments",
      ]),
    tests(
      "WaymarkServiceTests",
      [
        "WaymarkSystem", "WaymarkConfiguration", "WaymarkJSON", "WaymarkServer", "WaymarkLogging", "WaymarkService",
        "WaymarkProtocol", "WaymarkClient",
        "WaymarkImage", "WaymarkFrames",
        "WaymarkDocuments", "WaymarkText", "WaymarkPipeline", "WaymarkWorker", "WaymarkSignature", "WaymarkAccounts",
        "WaymarkCounting", "WaymarkGeometry", "WaymarkOnboarding",
        .product(name: "Logging", package: "swift-log"), .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    tests("WaymarkHTTPTests", ["WaymarkHTTP"]),
    tests("WaymarkTypingTests", ["WaymarkConfiguration", "WaymarkKeys", "WaymarkService", "WaymarkTyping"]),
    tests(
      "WaymarkKioskTests", ["WaymarkSystem", "WaymarkJSON", "WaymarkConfiguration", "WaymarkHTTP", "WaymarkKiosk"]),
    // What the program's commands make of their words and of results, without starting it.
    tests(
      "WaymarkProgramTests",
      [
        "waymark", "WaymarkJSON", "WaymarkGeometry", "WaymarkImage", "WaymarkBarcodes", "WaymarkProtocol",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    // Runs the built executable on pictures, sockets and terminals, as a user would.
    tests("Blackbox", ["WaymarkImage"]),
  ]
)

// Some of the test targets alone, so that no other is built (`Scripts/sanitize`).
if let wanted = Context.environment["TEST_TARGETS"]?.split(separator: " ") {
  package.targets.removeAll { $0.type == .test && !wanted.contains(Substring($0.name)) }
}
