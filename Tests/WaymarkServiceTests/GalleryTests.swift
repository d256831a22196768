import Foundation
import Testing
import WaymarkProtocol
import WaymarkService

@Suite(.serialized, .ownThread) struct GalleryTests {
  private func picture() -> Data {
    // A PGM of four pixels is a picture, too.
    Data("P5 2 2 255\n".utf8) + Data([0, 64, 128, 255])
  }

  @Test func onlyWhatLiesInTheFolderIsListed() async throws {
    let folder = try TestFolder.make()
    let outside = try TestFolder.make()
    defer { for path in [folder, outside] { try? FileManager.default.removeItem(atPath: path) } }
    let files = FileManager.default
    try picture().write(to: URL(fileURLWithPath: folder + "/a.pgm"))
    try picture().write(to: URL(fileURLWithPath: outside + "/secret.pgm"))
    try Data("x".utf8).write(to: URL(fileURLWithPath: folder + "/notes.txt"))
    try picture().write(to: URL(fileURLWithPath: folder + "/.hidden.pgm"))
    try files.createSymbolicLink(atPath: folder + "/link.pgm", withDestinationPath: outside + "/secret.pgm")
    try files.createSymbolicLink(atPath: folder + "/up.pgm", withDestinationPath: "/etc/passwd")
    try files.createDirectory(atPath: folder + "/sub.pgm", withIntermediateDirectories: false)
    let service = try await TestService { _ in [GalleryModule(folders: [folder])] }
    let client = try RawClient(service.path)
    _ = try client.next()
    let list = try client.ask("gallery.list")["result"]?["pictures"]?.array ?? []
    #expect(list.map { $0["name"] } == ["a.pgm"])
    #expect(list.first?["id"]?.string?.contains("/") == false)
    await service.stop()
  }

  @Test func pagesFollowEachOther() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for index in 0..<7 {
      let path = folder + "/p\(index).pgm"
      try picture().write(to: URL(fileURLWithPath: path))
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: Double(1000 + index))], ofItemAtPath: path)
    }
    let service = try await TestService { _ in [GalleryModule(folders: [folder])] }
    let client = try RawClient(service.path)
    _ = try client.next()
    var names: [String] = []
    var after = ""
    repeat {
      let result = try client.ask("gallery.list", "{\"limit\":3\(after)}")["result"]
      names += result?["pictures"]?.array?.compactMap { $0["name"]?.string } ?? []
      after = result?["next"]?.string.map { ",\"after\":\"\($0)\"" } ?? ""
    } while !after.isEmpty
    #expect(names == (0..<7).reversed().map { "p\($0).pgm" })
    for bad in ["{\"limit\":0}", "{\"limit\":501}", "{\"limit\":\"3\"}"] {
      #expect(try client.ask("gallery.list", bad)["error"]?["code"] == "badParams")
    }
    #expect(try client.ask("gallery.list", "{\"after\":\"../../etc/passwd\"}")["error"]?["code"] == "notFound")
    await service.stop()
  }

  @Test func withoutFoldersItIsOff() async throws {
    let service = try await TestService { _ in [GalleryModule(folders: [])] }
    let client = try RawClient(service.path)
    _ = try client.next()
    #expect(try client.ask("gallery.list")["error"]?["code"] == "notConfigured")
    await service.stop()
  }
}
