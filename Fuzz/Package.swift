// swift-tools-version: 6.2
import PackageDescription

// The project's modules compiled anew with libFuzzer's coverage and AddressSanitizer, each from its folder of `Sources`, which
// `Modules` links to; what they depend on is compiled without. One target needs no more of them than it feeds, so that the small
// ones build fast. Run by `Scripts/fuzz`.

let instrumented: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .unsafeFlags(["-enable-testing", "-sanitize=fuzzer,address"]),
]
let instrumentedC: [CSetting] = [.unsafeFlags(["-fsanitize=fuzzer-no-link,address"])]

func module(_ path: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
  .target(
    name: name(path), dependencies: dependencies, path: "Modules/\(path)", resources: resources,
    swiftSettings: instrumented)
}

func library(_ path: String, links: String? = nil, excluding files: [String] = []) -> Target {
  .target(
    name: name(path), path: "Modules/\(path)", exclude: files, cSettings: instrumentedC,
    linkerSettings: links.map { [.linkedLibrary($0)] } ?? [])
}

/// The last part of a path.
func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

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
  ],
  targets: [
    library("Codes/CUnicode"), library("Codes/CZBar", links: "zbar"), library("Foundation/CJPEG", links: "jpeg"),
    library("Foundation/CPNG", links: "png16"), library("Foundation/CWebP", links: "webp"),
    library("Foundation/CYAML", links: "yaml"), library("Foundation/CZlib", links: "z"),
    library("Foundation/CCrypto", links: "crypto"),
    library("Foundation/CKernels"), library("Foundation/CMemory"), library("Service/CSandbox"),
    library("Beside/CPictures"), library("Service/CProtocol", excluding: ["protocol.json"]),
    library("Foundation/CModels", excluding: ["anchor-descriptor.model"]),
    library("Station/CPageModels", excluding: ["page-network.model", "page-scorers.model"]),
    library("Station/CGlyphs", excluding: ["zone-glyphs.model", "signature-font.bin"]),
    module("Foundation/WaymarkSystem", []),
    module("Foundation/WaymarkCrypto", ["WaymarkSystem", "CCrypto"]),
    module("Foundation/WaymarkConfiguration", ["WaymarkSystem", "CYAML"]),
    module("Foundation/WaymarkImage", ["WaymarkSystem", "CKernels", "CJPEG", "CPNG", "CWebP"]),
    module("Service/WaymarkFrames", ["WaymarkSystem", "WaymarkImage"]),
    module("Codes/WaymarkBarcodes", ["WaymarkSystem", "WaymarkImage", "CKernels", "CZBar"]),
    module("Station/WaymarkDocuments", ["WaymarkSystem", "WaymarkCrypto", "WaymarkImage", "CPageModels", "CZlib"]),
    module(
      "Service/WaymarkWorker",
      ["WaymarkSystem", "WaymarkBarcodes", "WaymarkImage", "WaymarkFrames", "CMemory", "CSandbox"]),
    module("Station/WaymarkText", ["WaymarkSystem", "WaymarkImage", "WaymarkWorker", "CSandbox", "CGlyphs"]),
    module("Codes/WaymarkOnboarding", ["WaymarkSystem", "WaymarkConfiguration", "WaymarkCrypto", "CUnicode"]),
    module("Station/WaymarkPeople", ["WaymarkSystem", "WaymarkImage", "WaymarkCrypto", "CGlyphs"]),
    module("Anchors/WaymarkAnchors", ["WaymarkSystem", "WaymarkImage", "CModels", "CKernels"]),
    module(
      "Anchors/WaymarkScenes", ["WaymarkSystem", "WaymarkConfiguration", "WaymarkImage", "WaymarkBarcodes"]),
    module("Service/WaymarkProtocol", ["WaymarkSystem", "CProtocol"]),
    module(
      "Service/WaymarkClient",
      [
        "WaymarkSystem", "WaymarkProtocol", .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    module(
      "Beside/WaymarkHTTP",
      [
        "WaymarkSystem", .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"), .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
      ]),
    module(
      "Station/WaymarkKiosk",
      [
        "WaymarkSystem", "WaymarkConfiguration", "WaymarkClient", "WaymarkProtocol", "WaymarkHTTP", "CZlib",
        "WaymarkCrypto", .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"), .product(name: "NIOCore", package: "swift-nio"),
      ], resources: [.copy("Resources")]),

    .target(name: "CFuzzer"),
    .target(name: "FuzzSupport", dependencies: ["CFuzzer"], swiftSettings: instrumented),
    fuzzer("FuzzPictures", ["WaymarkFrames", "WaymarkImage"]),
    .target(name: "FuzzConversion", dependencies: ["CPictures", "FuzzSupport"], swiftSettings: instrumented),
    fuzzer("FuzzTiff", ["FuzzConversion", "CPictures"]), fuzzer("FuzzHeif", ["FuzzConversion", "CPictures"]),
    fuzzer("FuzzJxl", ["FuzzConversion", "CPictures"]), fuzzer("FuzzPdf", ["FuzzConversion", "CPictures"]),
    fuzzer("FuzzStream", ["WaymarkFrames", "WaymarkImage", "WaymarkSystem"]),
    fuzzer("FuzzCodes", ["WaymarkBarcodes", "WaymarkImage"]),
    fuzzer(
      "FuzzWorker",
      [
        "WaymarkWorker", "WaymarkFrames", "WaymarkBarcodes", "WaymarkImage", "WaymarkSystem", "WaymarkText",
        "WaymarkDocuments",
      ]),
    fuzzer("FuzzExpressions", ["WaymarkText", "WaymarkWorker", "WaymarkImage", "WaymarkSystem"]),
    fuzzer("FuzzModels", ["WaymarkImage", "WaymarkText", "WaymarkSystem"]),
    fuzzer("FuzzLibrary", ["WaymarkAnchors", "WaymarkImage", "WaymarkSystem"]),
    fuzzer("FuzzPayloads", ["WaymarkOnboarding", "WaymarkSystem"]),
    fuzzer("FuzzProtocol", ["WaymarkProtocol", "WaymarkSystem", .product(name: "NIOCore", package: "swift-nio")]),
    fuzzer("FuzzBundles", ["WaymarkOnboarding"]),
    fuzzer("FuzzDocuments", ["WaymarkDocuments", "WaymarkImage"]),
    fuzzer("FuzzRecords", ["WaymarkPeople", "WaymarkSystem"]),
    fuzzer("FuzzProvider", ["WaymarkPeople", "WaymarkOnboarding", "WaymarkProtocol", "WaymarkSystem"]),
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
