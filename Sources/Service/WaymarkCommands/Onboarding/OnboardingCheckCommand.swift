import ArgumentParser
import Foundation
import WaymarkOnboarding
import WaymarkSystem

/// `waymark onboarding check`: the verdict on a payload, step by step. Nothing is recorded.
struct OnboardingCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Explains step by step whether a payload would be accepted.",
    discussion: """
      Ends with 0 when it would, with 2 when it would not. Checking never uses up a token.
      Example:
        waymark scan --raw code.png | waymark onboarding check -
      With --lines many are judged at once: each line of standard input is a payload as a JSON string, and each line of \
      the output its verdict as a JSON object. It ends with 0 when every line was judged, and with 65 at the first that is \
      no such string or has more than a megabyte.
        jq -R . payloads.txt | waymark onboarding check --lines --policy policy.yaml
      """)

  @OptionGroup var input: OnboardingInput

  @Flag(help: "Judge the payloads on standard input, a JSON string a line, and print a JSON object a line.")
  var lines = false

  func validate() throws {
    if lines, input.text != nil {
      throw ValidationError("--lines reads the payloads from standard input, not from TEXT")
    }
    if !lines { try input.requireText() }
  }

  func run() async throws {
    guard lines else { return try input.report(try input.verdict(of: try input.judge(records: false))) }
    let judge = try input.judge(records: false)
    var count = 0
    try InputLines.forEach(limit: 1 << 20) { line in
      count += 1
      guard line.count <= 1 << 20, let text = (try? JSONParser.parse(line))?.string else {
        Output.fail(
          .badData, "Line \(count) is not a JSON string of at most a megabyte.",
          hint: "Write each payload as a JSON string on a line of its own; jq -R . does that.")
      }
      let verdict = judge.verdict(for: [ScannedCode(text)], now: input.moment)
      Output.json(VerdictText.json(verdict, showSecrets: input.showSecrets))
    }
  }
}

/// The lines of standard input.
private enum InputLines {
  /// Calls a function with each line, without its end; one that is longer than the limit is cut just behind it.
  static func forEach(limit: Int, _ body: ([UInt8]) throws -> Void) throws {
    var line: [UInt8] = []
    while let chunk = try FileHandle.standardInput.read(upToCount: 1 << 16), !chunk.isEmpty {
      for byte in chunk {
        if byte == UInt8(ascii: "\n") {
          try body(line)
          line.removeAll(keepingCapacity: true)
        } else if line.count <= limit {
          line.append(byte)
        }
      }
    }
    if !line.isEmpty { try body(line) }
  }
}
