// swift-tools-version: 6.2
import PackageDescription

let swiftSettings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

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
    // With the modules whose types they show.
    .library(name: "WaymarkBarcodes", targets: ["WaymarkBarcodes", "WaymarkImage", "WaymarkGeometry"]),
    .library(name: "WaymarkOnboarding", targets: ["WaymarkOnboarding"]),
    .library(name: "WaymarkAnchors", targets: ["WaymarkAnchors", "WaymarkImage", "WaymarkGeometry"]),
    .library(name: "WaymarkClient", targets: ["WaymarkClient", "WaymarkProtocol"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    .package(
      url: "https://github.com/apple/swift-configuration.git", from: "1.4.0",
      traits: [.defaults, "YAML", "Reloading", "CommandLineArguments"]),
    .package(url: "https://github.com/apple/swift-crypto.git", "4.0.0"..<"5.0.0"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-system.git", from: "1.8.1"),
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
    .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    .package(url: "https://github.com/vapor/jwt-kit.git", from: "5.7.1"),
  ],
  targets: [
    // C libraries and the shims that Swift cannot express.
    .target(name: "CZBar", linkerSettings: [.linkedLibrary("zbar")]),
    .target(name: "CV4L2", linkerSettings: [.linkedLibrary("v4l2")]),
    .target(name: "CJPEG", linkerSettings: [.linkedLibrary("jpeg")]),
    .target(name: "CPNG", linkerSettings: [.linkedLibrary("png16")]),
    .target(name: "CWebP", linkerSettings: [.linkedLibrary("webp")]),
    .target(name: "CKernels"),
    .target(name: "CMemory"),
    .target(name: "CSandbox"),
    .target(name: "CSignals"),

    // Modules, leaves first: an import only ever points up this list.
    module("WaymarkGeometry", []),
    module("WaymarkImage", ["WaymarkGeometry", "CKernels", "CJPEG", "CPNG", "CWebP"]),
    module("WaymarkBarcodes", ["WaymarkImage", "WaymarkGeometry", "CKernels", "CZBar"]),
    module(
      "WaymarkOnboarding",
      [.product(name: "Crypto", package: "swift-crypto"), .product(name: "CryptoExtras", package: "swift-crypto")]),
    module("WaymarkAnchors", ["WaymarkImage", "WaymarkGeometry", "CKernels"]),
    module("WaymarkDocuments", ["WaymarkImage", "WaymarkGeometry"]),
    module("WaymarkScenes", ["WaymarkGeometry", .product(name: "Yams", package: "Yams")]),
    module("WaymarkCamera", ["WaymarkImage", "CV4L2"]),
    module("WaymarkProtocol", []),
    module("WaymarkWorker", ["WaymarkBarcodes", "WaymarkImage", "WaymarkGeometry", "CMemory", "CSandbox"]),
    module(
      "WaymarkPipeline",
      ["WaymarkImage", "WaymarkGeometry", "WaymarkBarcodes", "WaymarkOnboarding", "WaymarkAnchors", "WaymarkScenes"]),
    module(
      "WaymarkService",
      [
        "WaymarkPipeline", "WaymarkWorker", "WaymarkProtocol", "WaymarkCamera", "WaymarkImage", "WaymarkGeometry",
        "WaymarkBarcodes",
        "WaymarkOnboarding", "WaymarkAnchors", "WaymarkScenes", "CMemory", "CSignals",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Configuration", package: "swift-configuration"),
        .product(name: "SystemPackage", package: "swift-system"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
        .product(name: "Yams", package: "Yams"),
      ]),
    module(
      "WaymarkClient",
      [
        "WaymarkProtocol",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    module(
      "WaymarkKiosk",
      [
        "WaymarkClient", "WaymarkProtocol",
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ],
      resources: [.copy("Resources")]),
    .executableTarget(
      name: "waymark",
      dependencies: [
        "WaymarkGeometry", "WaymarkImage", "WaymarkBarcodes", "WaymarkOnboarding", "WaymarkAnchors", "WaymarkDocuments",
        "WaymarkScenes", "WaymarkCamera", "WaymarkProtocol", "WaymarkWorker", "WaymarkPipeline", "WaymarkService",
        "WaymarkClient", "WaymarkKiosk",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Yams", package: "Yams"),
      ],
      swiftSettings: swiftSettings),

    // The Swift client of the samples: a user of the library product.
    .executableTarget(
      name: "waymark-sample-client", dependencies: ["WaymarkClient", "WaymarkProtocol"], path: "Samples/clients/swift"),

    // What Benchmarks/socket/measure times in a process of its own.
    .executableTarget(
      name: "encoder-benchmark", dependencies: ["WaymarkProtocol"], path: "Benchmarks/encoder",
      swiftSettings: swiftSettings),

    tests("WaymarkGeometryTests", ["WaymarkGeometry"]),
    tests("WaymarkImageTests", ["WaymarkImage"]),
    tests("WaymarkBarcodesTests", ["WaymarkBarcodes", "WaymarkImage", "WaymarkGeometry"]),
    tests(
      "WaymarkOnboardingTests",
      [
        "WaymarkOnboarding", .product(name: "JWTKit", package: "jwt-kit"),
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    tests("WaymarkAnchorsTests", ["WaymarkAnchors", "WaymarkImage", "WaymarkGeometry", "CKernels"]),
    tests("WaymarkDocumentsTests", ["WaymarkDocuments", "WaymarkImage", "WaymarkGeometry"]),
    tests("WaymarkScenesTests", ["WaymarkScenes", "WaymarkGeometry"]),
    tests("WaymarkCameraTests", ["WaymarkCamera", "WaymarkImage", "CV4L2"]),
    tests("WaymarkProtocolTests", ["WaymarkProtocol"]),
    tests(
      "WaymarkWorkerTests", ["WaymarkWorker", "WaymarkImage", "WaymarkBarcodes", "WaymarkGeometry", "CSandbox"]),
    tests(
      "WaymarkPipelineTests",
      ["WaymarkPipeline", "WaymarkImage", "WaymarkGeometry", "WaymarkBarcodes", "WaymarkOnboarding"]),
    tests(
      "WaymarkServiceTests",
      [
        "WaymarkService", "WaymarkProtocol", "WaymarkClient", "WaymarkImage", "WaymarkPipeline", "WaymarkWorker",
        .product(name: "Logging", package: "swift-log"), .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    tests("WaymarkClientTests", ["WaymarkClient", "WaymarkProtocol"]),
    tests("WaymarkKioskTests", ["WaymarkKiosk"]),
    // Runs the built executable on pictures, sockets and terminals, as a user would.
    tests("Blackbox", ["WaymarkImage"]),
  ]
)
