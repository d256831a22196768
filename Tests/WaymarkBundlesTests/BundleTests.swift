import Foundation
import Glibc
import Testing
import WaymarkSystem

@testable import WaymarkOnboarding

/// A place of the test's own.
private final class Scratch {
  let path = NSTemporaryDirectory() + "waymark-bundles-\(UUID().uuidString)"
  init() { try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ text: String, to name: String) throws {
    let place = "\(path)/\(name)"
    try FileManager.default.createDirectory(
      atPath: (place as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try text.write(toFile: place, atomically: false, encoding: .utf8)
  }

  func read(_ name: String) -> String? { try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8) }
}

private let fleetKey = try? SigningKey(generating: .edDSA, id: "fleet")

/// A bundle as bytes.
private func bundle(
  _ version: Int, _ files: [String: String] = ["keys.jwks": "{}", "scenes/a/scene.yaml": "name: a"],
  key other: SigningKey? = nil
) throws -> [UInt8] {
  let scratch = Scratch()
  for (name, text) in files { try scratch.write(text, to: name) }
  let key = try #require(other ?? fleetKey)
  var bytes: [UInt8] = []
  _ = try BundleWriter.write(
    folder: scratch.path, name: "site-4", version: version, made: "2026-01-02T03:04:05Z", key: key
  ) { (more) throws(BundleError) in bytes += more }
  return bytes
}

/// Gives bytes in pieces of a size of its own.
private final class Pieces {
  private var bytes: ArraySlice<UInt8>
  private let size: Int
  init(_ bytes: [UInt8], size: Int) { (self.bytes, self.size) = (bytes[...], size) }
  func next(_ count: Int) -> [UInt8] {
    let piece = Array(bytes.prefix(min(count, size)))
    bytes = bytes.dropFirst(piece.count)
    return piece
  }
}

private func reader(_ bytes: [UInt8], size: Int = 1 << 20, key other: SigningKey? = nil) throws -> BundleReader {
  let pieces = Pieces(bytes, size: size)
  return try BundleReader(source: pieces.next, keys: [try #require(other ?? fleetKey).publicKey])
}

/// Reads all of it.
private func files(_ bytes: [UInt8], size: Int = 1 << 20) throws -> [String: String] {
  var (files, name) = ([String: [UInt8]](), "")
  try reader(bytes, size: size).readFiles {
    name = $0.path; files[name] = []
  } take: {
    files[name, default: []] += $0
  }
  return files.mapValues { String(decoding: $0, as: UTF8.self) }
}

private func code(_ body: () throws -> Void) -> BundleErrorCode? {
  do {
    try body()
    return nil
  } catch {
    return (error as? BundleError)?.code
  }
}

@Suite struct BundleTests {
  @Test(arguments: [1, 7, 511, 512, 513, 1 << 20]) func whatWentInComesOut(_ size: Int) throws {
    let content = [
      "a": "", "b": String(repeating: "x", count: 512), "c/d/e.txt": String(repeating: "y", count: 70_000),
      "long/" + String(repeating: "n", count: 90) + "/" + String(repeating: "m", count: 95): "z",
    ]
    #expect(try files(try bundle(3, content), size: size) == content)
    #expect(try reader(try bundle(3, content)).manifest.version == 3)
  }

  @Test func itIsATarForOthers() throws {
    let scratch = Scratch()
    let file = scratch.path + "/b.tar"
    try Data(try bundle(3)).write(to: URL(fileURLWithPath: file))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["tar", "-C", scratch.path, "-xf", file]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(scratch.read("scenes/a/scene.yaml") == "name: a")
    #expect(scratch.read("manifest.json")?.contains(#""name":"site-4","version":3"#) == true)
  }

  @Test func theSameFilesMakeTheSameManifest() throws {
    #expect(try reader(bundle(3)).manifest == reader(bundle(3)).manifest)
  }

  /// A bundle with any byte changed, cut off anywhere, or with anything behind it, is not taken.
  @Test func noByteMayBeAnother() throws {
    let whole = try bundle(3)
    #expect(throws: Never.self) { try files(whole) }
    for place in stride(from: 0, to: whole.count, by: 5) {
      var bytes = whole
      bytes[place] ^= 0x01
      #expect(code { _ = try files(bytes) } != nil, "byte \(place)")
    }
    for end in stride(from: 0, to: whole.count, by: 97) {
      #expect(code { _ = try files(Array(whole[..<end])) } == .badBundle, "cut at \(end)")
    }
    #expect(code { _ = try files(whole + [1]) } == .badBundle)
    #expect(code { _ = try files(whole + [UInt8](repeating: 0, count: 2 << 20)) } == .badBundle)
    #expect(throws: Never.self) { try files(whole + [UInt8](repeating: 0, count: 9 * 512)) }
  }

  @Test func onlyWhoIsTrusted() throws {
    let other = try SigningKey(generating: .edDSA)
    #expect(code { _ = try reader(try bundle(3, key: other)) } == .notSigned)
    #expect(throws: Never.self) { try reader(try bundle(3, key: other), key: other) }
    // A key of another kind signs no bundles.
    #expect(code { _ = try bundle(3, key: try SigningKey(generating: .es256)) } == .badContent)
  }

  /// A tar as others could write it, correctly signed: the rules hold for owners of the key, too.
  private func hostile(_ manifest: String, _ entries: [(head: [UInt8], body: String)]) -> BundleErrorCode? {
    code {
      func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + [UInt8](repeating: 0, count: (512 - bytes.count % 512) % 512) }
      let json = Array(manifest.utf8)
      var bytes = TarEntry(path: "manifest.json", size: json.count).block + padded(json)
      bytes += TarEntry(path: "manifest.sig", size: 64).block + padded([UInt8](repeating: 0, count: 64))
      for (head, body) in entries { bytes += head + padded(Array(body.utf8)) }
      bytes += [UInt8](repeating: 0, count: 1024)
      let pieces = Pieces(bytes, size: 4096)
      try BundleReader(source: pieces.next) { _, _ in true }.readFiles { _ in
      } take: { _ in
      }
    }
  }

  private func manifest(_ paths: [String], size: Int = 0) -> String {
    let digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    let files = paths.map { #"{"path":"\#($0)","size":\#(size),"sha256":"\#(digest)"}"# }.joined(separator: ",")
    return #"{"format":1,"name":"n","version":1,"made":"t","files":[\#(files)]}"#
  }

  @Test func pathsThatLeadElsewhere() {
    for path in [
      "/etc/passwd", "../x", "a/../../x", "a//b", "a/", "", ".hidden", "a/./b", "a\\u0000b", "a\\nb", "ä", "a\\\\b",
      "-*",
      String(repeating: "a/", count: 130) + "a",
    ] {
      #expect(hostile(manifest([path]), []) == .badBundle, "\(path)")
    }
    #expect(hostile(manifest(["a"]), [(TarEntry(path: "a", size: 0).block, "")]) == nil)
  }

  @Test func doubledAndEntangledPaths() {
    #expect(hostile(manifest(["a", "a"]), []) == .badBundle)
    #expect(hostile(manifest(["b", "a"]), []) == .badBundle)
    #expect(hostile(manifest(["a", "a/b"]), []) == .badBundle)
    // The manifest names once what stands in the tar twice.
    let entry = (TarEntry(path: "a", size: 0).block, "")
    #expect(hostile(manifest(["a"]), [entry, entry]) == .badBundle)
  }

  @Test func whatIsNoFile() {
    for kind in "1234567gxLKVS" {
      var block = TarEntry(path: "a", size: 0).block
      block[156] = kind.asciiValue ?? 0
      // A checksum that is right, so that it is the kind that is refused.
      block.replaceSubrange(148..<156, with: "        ".utf8)
      let sum = String(block.reduce(0) { $0 + Int($1) }, radix: 8)
      block.replaceSubrange(148..<148 + 7, with: Array((String(repeating: "0", count: 6 - sum.count) + sum).utf8) + [0])
      #expect(hostile(manifest(["a"]), [(block, "")]) == .badBundle, "\(kind)")
    }
  }

  @Test func bombs() {
    #expect(hostile(manifest(["a"], size: 1 << 40), []) == .badBundle)
    #expect(hostile(manifest(["a", "b", "c"], size: 1 << 29), []) == .badBundle)
    #expect(hostile(manifest(["a"], size: -1), []) == .badBundle)
    #expect(hostile(manifest(["a"], size: Int.max), []) == .badBundle)
    #expect(hostile(manifest((0..<10_001).map { "f" + String(100_000 + $0) }), []) == .badBundle)
    #expect(hostile(String(repeating: "[", count: 100_000), []) == .badBundle)
    // A head that promises a manifest of 8 GiB.
    let pieces = Pieces(TarEntry(path: "manifest.json", size: 8 << 30).block, size: 512)
    #expect(code { _ = try BundleReader(source: pieces.next) { _, _ in true } } == .badBundle)
  }

  @Test func whatCannotBePacked() throws {
    let scratch = Scratch()
    try scratch.write("x", to: "a")
    let pack = {
      code {
        _ = try BundleWriter.write(
          folder: scratch.path, name: "n", version: 1, made: "t", key: try #require(fleetKey)
        ) { (_) throws(BundleError) in }
      }
    }
    #expect(pack() == nil)
    try scratch.write("x", to: ".hidden")
    #expect(pack() == .badContent)
    try FileManager.default.removeItem(atPath: scratch.path + "/.hidden")
    try FileManager.default.createSymbolicLink(atPath: scratch.path + "/link", withDestinationPath: "/etc/passwd")
    #expect(pack() == .badContent)
    try FileManager.default.removeItem(atPath: scratch.path + "/link")
    try scratch.write("x", to: "manifest.json")
    #expect(pack() == .badContent)
  }
}

@Suite struct BundleStoreTests {
  private func apply(
    _ version: Int, _ files: [String: String], in store: BundleStore, _ activate: () async -> String? = { nil }
  ) async throws -> BundleStore.Outcome {
    try await store.apply(try reader(try bundle(version, files)), activate: activate)
  }

  @Test func oneTakesThePlaceOfTheOther() async throws {
    let scratch = Scratch()
    let store = BundleStore(folder: scratch.path + "/b")
    for version in 1...4 {
      #expect(try await apply(version, ["a/x": "version \(version)"], in: store) == .applied)
      #expect(scratch.read("b/current/site-4/a/x") == "version \(version)")
    }
    #expect(try await apply(4, ["a/x": "version 4"], in: store) == .alreadyThere)
    #expect(try store.state(of: "site-4") == BundleStore.State(highest: 4, current: 4, previous: 3))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/b/releases").sorted() == [
        "site-4-3", "site-4-4",
      ])
    #expect(store.names == ["site-4"])
  }

  @Test func aVersionNeverGoesBack() async throws {
    let scratch = Scratch()
    let store = BundleStore(folder: scratch.path + "/b")
    _ = try await apply(7, ["x": "7"], in: store)
    await #expect(throws: BundleError.self) { _ = try await apply(6, ["x": "6"], in: store) }
    #expect(scratch.read("b/current/site-4/x") == "7")
    // A state that is damaged lets nothing old in.
    try scratch.write("{", to: "b/state/site-4.json")
    await #expect(throws: BundleError.self) { _ = try await apply(6, ["x": "6"], in: store) }
  }

  @Test func whatTheServiceDoesNotComeUpWithGoes() async throws {
    let scratch = Scratch()
    let store = BundleStore(folder: scratch.path + "/b")
    var seen: [String?] = []
    let refuse: () async -> String? = {
      seen.append(scratch.read("b/current/site-4/x"))
      return seen.last == "bad" ? "the scene is broken" : nil
    }
    await #expect(throws: BundleError.self) { _ = try await apply(1, ["x": "bad"], in: store, refuse) }
    #expect(seen == ["bad", nil])
    #expect(scratch.read("b/current/site-4/x") == nil)
    #expect(try await apply(1, ["x": "good"], in: store, refuse) == .applied)
    await #expect(throws: BundleError.self) { _ = try await apply(2, ["x": "bad"], in: store, refuse) }
    #expect(seen == ["bad", nil, "good", "bad", "good"])
    #expect(scratch.read("b/current/site-4/x") == "good")
    #expect(try store.state(of: "site-4") == BundleStore.State(highest: 1, current: 1))
    // It may be mended and tried again under its number: it never came up.
    #expect(try await apply(2, ["x": "better"], in: store, refuse) == .applied)
  }

  /// Power is lost while one is tried: the next one that comes begins from what was known to be good.
  @Test func whatWasNeverConfirmedIsTakenBack() async throws {
    let scratch = Scratch()
    let store = BundleStore(folder: scratch.path + "/b")
    _ = try await apply(1, ["x": "1"], in: store)
    _ = try await apply(2, ["x": "2"], in: store)
    try scratch.write(#"{"highest":1,"current":1,"pending":2}"#, to: "b/state/site-4.json")
    await #expect(throws: BundleError.self) { _ = try await apply(3, ["x": "3"], in: store) { "no" } }
    #expect(try store.state(of: "site-4") == BundleStore.State(highest: 1, current: 1))
    #expect(scratch.read("b/current/site-4/x") == "1")
  }

  /// Leftovers of an apply that was killed go with the next one; those of another bundle stay.
  @Test func leftoversOfAKilledApplyAreRemoved() async throws {
    let scratch = Scratch()
    let store = BundleStore(folder: scratch.path + "/b")
    _ = try await apply(1, ["x": "1"], in: store)
    let releases = scratch.path + "/b/releases/"
    for name in [".new", "site-4-9", "site-4--3", "site-40-1", "site-4-1x", "site-4-"] {
      try FileManager.default.createDirectory(atPath: releases + name, withIntermediateDirectories: true)
      try scratch.write("x", to: "b/releases/\(name)/x")
    }
    #expect(try await apply(1, ["x": "1"], in: store) == .alreadyThere)
    let left = try FileManager.default.contentsOfDirectory(atPath: releases).sorted()
    #expect(left == ["site-4-", "site-4--3", "site-4-1", "site-4-1x", "site-40-1"])
  }

  @Test func damageInTheMiddleChangesNothing() async throws {
    let scratch = Scratch()
    let store = BundleStore(folder: scratch.path + "/b")
    _ = try await apply(1, ["x": "1"], in: store)
    let whole = try bundle(2, ["x": "2", "y": String(repeating: "y", count: 5000)])
    var bytes = whole
    bytes[bytes.count - 3000] ^= 1
    await #expect(throws: BundleError.self) { _ = try await store.apply(try reader(bytes)) { nil } }
    #expect(scratch.read("b/current/site-4/x") == "1")
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/b/releases") == ["site-4-1"])
  }
}
