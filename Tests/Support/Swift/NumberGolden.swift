import Foundation
import Testing

/// Numbers of a computation, as recorded at their last review. Other tests check that they are right; this one, that
/// none of them changes unnoticed. A change on purpose is recorded with `WAYMARK_RECORD_GOLDEN=1`; its diff is read.
struct NumberGolden {
  private var lines: [(name: String, values: [Double])] = []

  /// Adds a line: a name without spaces and its numbers.
  mutating func add(_ name: String, _ values: [Double]) { lines.append((name, values)) }

  /// Compares with the lines of a file below `Fixtures`; a number may differ by the tolerance, or by that share of itself.
  func check(_ file: String, within tolerance: Double = 1e-3) throws {
    // Several test targets have this file by a link.
    var tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    while tests.lastPathComponent != "Tests" { tests.deleteLastPathComponent() }
    let url = tests.appending(path: "Fixtures/\(file)")
    if ProcessInfo.processInfo.environment["WAYMARK_RECORD_GOLDEN"] != nil {
      let text = lines.map { line in
        ([line.name] + line.values.map { String(format: "%.4f", $0) }).joined(separator: " ")
      }
      try (text.joined(separator: "\n") + "\n").write(to: url, atomically: true, encoding: .utf8)
    }
    let recorded = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map { $0.split(separator: " ") }
    try #require(recorded.map { String($0[0]) } == lines.map(\.name))
    for (line, parts) in zip(lines, recorded) {
      let values = parts.dropFirst().compactMap { Double($0) }
      let isAsRecorded =
        values.count == line.values.count
        && zip(values, line.values).allSatisfy { abs($0 - $1) <= tolerance * max(1, abs($0)) }
      #expect(isAsRecorded, "\(line.name): \(line.values), recorded \(values)")
    }
  }
}
