import Foundation
import Testing

/// Hostile clients, of other users, beside a well-behaved one. They go on until it has what it waits for: no time decides.
@Suite("Hostile clients", .serialized, .ownThread) struct BudgetTests {
  private static let isPossible =
    geteuid() == 0
    && ["/usr/bin/python3", "/usr/bin/qrencode"].allSatisfy(FileManager.default.isExecutableFile(atPath:))
  private static let root =
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  @Test(
    "220 hostile connections keep no verdict from a client, and take less than 128 MiB",
    .enabled(if: isPossible, "needs root, python3 and qrencode"), .timeLimit(.minutes(3)))
  func budget() throws {
    try run([Self.root + "/Benchmarks/socket/hostile.py", "--events", "40", Executable.path])
  }

  @Test("Numbers out of reach, in every request that there is, end nothing", .timeLimit(.minutes(3)))
  func numbers() throws {
    try run([
      Self.root + "/Tests/Support/hostile/numbers.py", Executable.path,
      Self.root + "/Tests/Fixtures/Protocol/requests.ndjson",
    ])
  }

  private func run(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = arguments
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(text)\(complaint.suffix(2000))")
  }
}
