import Foundation
import Testing

/// With `WAYMARK_DATA` naming a folder with a `manifest.tsv` (path, set, symbology, expected text as JSON): the whole set is
/// worked through without an error, and most of it is read.
struct MeasuredSetTests {
  private static let folder = ProcessInfo.processInfo.environment["WAYMARK_DATA"]

  @Test(.enabled(if: folder != nil)) func readsMostOfTheSet() throws {
    let folder = try #require(Self.folder)
    let rows = try String(contentsOfFile: folder + "/manifest.tsv", encoding: .utf8).split(separator: "\n").dropFirst()
      .map { $0.split(separator: "\t", maxSplits: 3, omittingEmptySubsequences: false).map(String.init) }
    let wanted = rows.filter {
      $0.count == 4 && ["QR", "EAN13", "UPCA", "DataBarExp"].contains($0[2]) && $0[3] != "\"?\""
    }
    var (read, empty) = (0, 0)
    for batch in stride(from: 0, to: wanted.count, by: 500) {
      let slice = wanted[batch..<min(wanted.count, batch + 500)]
      let run = try Executable.run(["scan", "--json"] + slice.map { folder + "/" + $0[0] })
      #expect(run.objects.count == slice.count)
      #expect(run.status <= 1)
      for object in run.objects {
        if (object["symbols"] as? [Any])?.isEmpty == false { read += 1 } else { empty += 1 }
      }
    }
    #expect(Double(read) / Double(max(1, read + empty)) > 0.75)
  }
}
