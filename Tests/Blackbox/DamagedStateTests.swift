import Foundation
import Testing

/// The service starts over damaged files of state, and says what it did about them.
@Suite("Damaged state", .serialized) struct DamagedStateTests {
  private static let frames = Executable.project.appendingPathComponent("Samples/frames").path
  private static let scenes = Executable.project.appendingPathComponent("Samples/scenes").path

  private func configuration(_ folder: TemporaryFolder, _ more: String) throws -> [String] {
    let file = folder.file("waymark.yaml")
    try Data(("source: {path: \(Self.frames)}\n" + more).utf8).write(to: URL(fileURLWithPath: file))
    return ["--config", file]
  }

  @Test func damagedRecordsAreReportedAndCount() throws {
    let folder = try TemporaryFolder()
    let used = folder.file("used")
    try FileManager.default.createDirectory(atPath: used, withIntermediateDirectories: true)
    let record = used + "/" + String(repeating: "e", count: 64)
    try Data([0, 1, 2]).write(to: URL(fileURLWithPath: record))
    try Data("no number".utf8).write(to: URL(fileURLWithPath: used + "/horizon"))
    let service = try RunningService(configuration(folder, "replay: {folder: \(used)}\n"))
    let log = service.log(with: "of the records")
    #expect(log.contains("horizon is damaged and was set aside as \(used)/horizon.damaged"), "\(log)")
    #expect(log.contains("1 of the records"), "\(log)")
    #expect(FileManager.default.fileExists(atPath: record))
    #expect(try Executable.run(["status", "--socket", service.socket]).status == 0)
  }

  @Test func aDamagedLibraryIsReportedAndTheServiceStarts() throws {
    let folder = try TemporaryFolder()
    let library = folder.file("library.anchors")
    try Data("WMANCHOR and nothing else".utf8).write(to: URL(fileURLWithPath: library))
    let service = try RunningService(configuration(folder, "anchors: {library: \(library)}\n"))
    let log = service.log(with: "the anchor library cannot be used")
    #expect(log.contains("the anchor library cannot be used"), "\(log)")
    #expect(try Executable.run(["status", "--socket", service.socket]).status == 0)
  }

  @Test func aDamagedCacheIsSetAsideAndCompiledAgain() throws {
    let folder = try TemporaryFolder()
    let cache = folder.file("cache")
    let options = try configuration(folder, "scenes: {folders: [\(Self.scenes)], cache: \(cache)}\n")
    func load(_ service: RunningService) throws -> String {
      let run = try Executable.run([
        "send", "--socket", service.socket, "scene.load", #"{"name":"pump-room"}"#,
      ])
      #expect(run.status == 0, "\(run.diagnostics)")
      return service.log
    }
    let first = try RunningService(options)
    #expect(try !load(first).contains("set aside"))
    #expect(first.stop().status == 0)
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: cache).first)
    let file = URL(fileURLWithPath: cache + "/" + name)
    let good = try Data(contentsOf: file)
    for damaged in [good.prefix(good.count / 2), Data("x".utf8), good.prefix(200) + Data([1]) + good.dropFirst(201)] {
      try damaged.write(to: file)
      // A file that a writer of long ago left behind goes as well.
      let leftover = cache + "/0123456789abcdef.anchors.4194304.tmp"
      try Data("half".utf8).write(to: URL(fileURLWithPath: leftover))
      let service = try RunningService(options)
      let log = try load(service)
      #expect(log.contains("was set aside as \(file.path).damaged"), "\(log)")
      #expect(try Data(contentsOf: file) == good)
      #expect(try Data(contentsOf: URL(fileURLWithPath: file.path + ".damaged")) == damaged)
      #expect(!FileManager.default.fileExists(atPath: leftover))
      #expect(service.stop().status == 0)
    }
  }
}
