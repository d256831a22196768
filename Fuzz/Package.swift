// swift-tools-version: 6.2
import PackageDescription

// The project's modules compiled anew with libFuzzer's coverage and AddressSanitizer, each from the folder that `Modules`
// links to; what they depend on is compiled without. One target needs no more of them than it feeds, so that the small
// ones build fast. Run by `Scripts/fuzz`.

let instrumented: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .unsafeFlags(["-enable-testing", "-sanitize=fuzzer,address"]),
]
let instrumentedC: [CSetting] = [.unsafeFlags(["-fsanitize=fuzzer-no-link,address"])]

func module(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Modules/\(name)", resources: resources, swiftSettings: instrumented)
}

func library(_ name: String, links: String? = nil, excluding files: [String] = []) -> Target {
  .target(
    name: name, path: "Modules/\(name)", exclude: files, cSettings: instrumentedC,
    linkerSettings: links.map { [.linkedLibrary($0)] } ?? [])
}

/// A program that feeds one thing.
func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: ["CFuzzer", "FuzzSupport"] + dependencies, swiftSettings: instrumented,
    linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])])
}

let package = Package(
  name: "waymark-fuzz",
  dependencies: [
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: ["FullFoundation"]),
    .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
  ],
  targets: [
    library("CZBar", links: "zbar"), library("CJPEG", links: "jpeg"), library("CPNG", links: "png16"),
    library("CWebP", links: "webp"), library("CZlib", links: "z"), library("CCrypto", links: "crypto"),
    library("CKernels"), library("CMemory"), library("CSandbox"), library("CPictures"),
    library("CProtocol", excluding: ["protocol.json"]),
    library("CModels", excluding: ["anchor-descriptor.model", "page-network.model", "page-scorers.model"]),
    module("WaymarkSystem", []),
    module("WaymarkJSON", []),
    module("WaymarkCrypto", ["WaymarkSystem", "CCrypto"]),
    module("WaymarkConfiguration", ["WaymarkSystem", "WaymarkJSON", .product(name: "Yams", package: "Yams")]),
    module("WaymarkGeometry", []),
    module("WaymarkImage", ["WaymarkSystem", "WaymarkGeometry", "CKernels", "CJPEG", "CPNG", "CWebP"]),
    module("WaymarkFrames", ["WaymarkSystem", "WaymarkImage"]),
    module("WaymarkSymbologies", ["WaymarkSystem"]),
    module(
      "WaymarkBarcodes",
      ["WaymarkSystem", "WaymarkImage", "WaymarkGeometry", "WaymarkSymbologies", "CKernels", "CZBar"]),
    module("WaymarkNetworks", ["WaymarkSystem", "WaymarkImage", "CKernels"]),
    module(
      "WaymarkDocuments",
      ["WaymarkSystem", "WaymarkJSON", "WaymarkImage", "WaymarkNetworks", "WaymarkGeometry", "CModels", "CKernels"]),
    module("WaymarkText", ["WaymarkSystem", "WaymarkImage", "WaymarkNetworks", "WaymarkGeometry"]),
    module(
      "WaymarkWorker",
      [
        "WaymarkSystem", "WaymarkSymbologies", "WaymarkBarcodes", "WaymarkDocuments", "WaymarkText", "WaymarkImage",
        "WaymarkNetworks", "WaymarkFrames", "WaymarkGeometry", "CMemory", "CSandbox",
      ]),
    module("WaymarkOnboarding", ["WaymarkSystem", "WaymarkJSON", "WaymarkCrypto", "WaymarkConfiguration"]),
    module("WaymarkBundles", ["WaymarkSystem", "WaymarkJSON", "WaymarkCrypto", "WaymarkOnboarding"]),
    module("WaymarkAccounts", ["WaymarkSystem", "WaymarkJSON", "WaymarkCrypto"]),
    module(
      "WaymarkSignature", ["WaymarkSystem", "WaymarkJSON", "WaymarkCrypto", "WaymarkImage", "WaymarkGeometry"]),
    module(
      "WaymarkAnchors",
      ["WaymarkSystem", "WaymarkImage", "WaymarkNetworks", "WaymarkGeometry", "CModels", "CKernels"]),
    module(
      "WaymarkScenes",
      [
        "WaymarkSystem", "WaymarkJSON", "WaymarkConfiguration", "WaymarkGeometry", "WaymarkImage", "WaymarkSymbologies",
        "WaymarkBarcodes",
      ]),
    module("WaymarkProtocol", ["WaymarkJSON", "WaymarkSystem", "CProtocol"]),
    module(
      "WaymarkClient",
      [
        "WaymarkSystem", "WaymarkJSON", "WaymarkProtocol", .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    module(
      "WaymarkHTTP",
      [
        "WaymarkSystem", .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"), .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
      ]),
    module(
      "WaymarkKiosk",
      [
        "WaymarkSystem", "WaymarkJSON", "WaymarkConfiguration", "WaymarkClient", "WaymarkProtocol", "WaymarkHTTP",
        "WaymarkCrypto", "CZlib",
        .product(name: "Hummingbird", package: "hummingbird"), .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
      ], resources: [.copy("Resources")]),

    .target(name: "CFuzzer"),
    .target(name: "FuzzSupport", dependencies: ["CFuzzer"], swiftSettings: instrumented),
    fuzzer("FuzzPictures", ["WaymarkFrames", "WaymarkImage"]),
    .target(name: "FuzzConversion", dependencies: ["CPictures", "FuzzSupport"], swiftSettings: instrumented),
    fuzzer("FuzzTiff", ["FuzzConversion", "CPictures"]), fuzzer("FuzzHeif", ["FuzzConversion", "CPictures"]),
    fuzzer("FuzzJxl", ["FuzzConversion", "CPictures"]), fuzzer("FuzzPdf", ["FuzzConversion", "CPictures"]),
    fuzzer("FuzzStream", ["WaymarkFrames", "WaymarkImage", "WaymarkSystem"]),
    fuzzer("FuzzCodes", ["WaymarkSymbologies", "WaymarkBarcodes", "WaymarkGeometry", "WaymarkImage"]),
    fuzzer(
      "FuzzWorker",
      [
        "WaymarkWorker", "WaymarkFrames", "WaymarkSymbologies", "WaymarkBarcodes", "WaymarkGeometry", "WaymarkImage",
        "WaymarkSystem",
        "WaymarkText",
      ]),
    fuzzer("FuzzExpressions", ["WaymarkText", "WaymarkWorker", "WaymarkGeometry", "WaymarkSystem"]),
    fuzzer("FuzzModels", ["WaymarkNetworks", "WaymarkText", "WaymarkImage", "WaymarkSystem"]),
    fuzzer("FuzzLibrary", ["WaymarkAnchors", "WaymarkImage", "WaymarkSystem"]),
    fuzzer("FuzzPayloads", ["WaymarkOnboarding", "WaymarkJSON"]),
    fuzzer("FuzzProtocol", ["WaymarkProtocol", "WaymarkJSON", .product(name: "NIOCore", package: "swift-nio")]),
    fuzzer("FuzzBundles", ["WaymarkBundles", "WaymarkOnboarding"]),
    fuzzer("FuzzDocuments", ["WaymarkDocuments", "WaymarkGeometry"]),
    fuzzer("FuzzRecords", ["WaymarkAccounts", "WaymarkSignature", "WaymarkJSON"]),
    fuzzer("FuzzProvider", ["WaymarkAccounts", "WaymarkOnboarding", "WaymarkProtocol", "WaymarkJSON"]),
    fuzzer("FuzzScenes", ["WaymarkScenes", "WaymarkSystem"]),
    fuzzer(
      "FuzzKiosk",
      [
        "WaymarkHTTP", "WaymarkKiosk", .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"), .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
      ]),
  ]
)
