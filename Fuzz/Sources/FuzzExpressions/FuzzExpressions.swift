import FuzzSupport
import WaymarkImage
import WaymarkSystem

@testable import WaymarkText
@testable import WaymarkWorker

/// Regular expressions with texts that they are held to, and what the program that reads text answers.
@main
struct FuzzExpressions {
  static func main() { fuzz(seeds: seeds) { feed($0, $1) } }
}

private func feed(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count > 1, let kind = bytes?[0] else { return -1 }
  let rest = Array(input(bytes, count)[1...])
  if kind % 2 == 0 { readExpression(rest) } else { readAnswer(rest) }
  return 0
}

/// The expression stands on the first line, the text on the others.
private func readExpression(_ bytes: [UInt8]) {
  let parts = bytes.split(separator: 10, maxSplits: 1, omittingEmptySubsequences: false)
  let word = String(decoding: parts[0], as: UTF8.self)
  let text = parts.count > 1 ? String(decoding: parts[1].prefix(1000), as: UTF8.self) : ""
  if let replacement = try? RegularExpressionReplacement(word, template: "<$1>") {
    var left = 10_000
    let result = replacement.replacing(in: text, limit: 4_000, steps: &left)
    require(result.map { $0.utf8.count <= 4_000 } ?? true, "a result beyond its limit")
  }
  guard let expression = try? RegularExpression(word) else { return }
  let isWhole = expression.matches(text)
  // One character after the other comes to the same end.
  var steps = Int.max
  var progress: RegularExpression.Progress? = expression.beginning
  for scalar in text.unicodeScalars {
    progress = progress.flatMap { expression.advance($0, over: String(scalar), steps: &steps) }
  }
  require((progress.map(expression.isWhole) ?? false) == isWhole, "another end")
  steps = 1_000
  require(isWhole || !expression.matches(text, steps: &steps), "few steps find what many do not")
  guard let matcher = try? TextMatcher(TextPattern(name: "own", expression: word)), let match = matcher.match(text)
  else { return }
  require(expression.matches(match.text), "a text that the expression does not describe")
}

private func readAnswer(_ bytes: [UInt8]) {
  guard let reply = try? TextReply(wireBytes: bytes) else { return }
  require(reply.wireBytes == bytes, "written otherwise")
  let symbols = reply.symbols
  // As one line, and as three that may be a machine-readable zone.
  let third = symbols.count / 3
  let parts = [symbols[...], symbols[..<third], symbols[third..<2 * third], symbols[(2 * third)...]]
  let lines = parts.enumerated().map { ReadLine(Array($1), outline: outline(Double($0) * 20)) }
  guard let acceptance = try? TextAcceptance(patterns), var follower = try? TextFollower(patterns) else {
    fatalError("a pattern of this target is none")
  }
  for text in acceptance.accepted(in: lines) { check(text) }
  for time in [0.0, 0.1, 0.2, 0.3] {
    let outcome = follower.see(lines, at: time)
    if let text = outcome.accepted {
      require(!text.isDoubtful, "accepted in spite of doubt")
      check(text)
    }
  }
}

private func check(_ text: AcceptedText) {
  let pattern = patterns.first { $0.name == text.pattern }
  require(pattern?.check?.holds(for: text.text) ?? true, "a wrong check digit")
  require(text.confidence >= 0 && text.confidence <= 1, "no confidence")
  require(text.corners.count == 4 && text.corners.allSatisfy { $0.x.isFinite && $0.y.isFinite }, "no place")
}

private let patterns = TextPattern.builtIn + [TextPattern(name: "own", expression: "[A-Z]{2}(-?[0-9]{2,3})+")]

private func outline(_ y: Double) -> Quadrilateral {
  Quadrilateral(
    topLeft: Point2(0, y), topRight: Point2(200, y), bottomRight: Point2(200, y + 15), bottomLeft: Point2(0, y + 15))
}

private let seeds: [[UInt8]] =
  [
    "[A-Z]{2}[0-9]{4}\nAB0123", "(?i)^(?:LOT|EXP)\\s?\\d{4,}$\nlot 12345", "((a?){30}){4}b\naaab",
    "(a|aa|a*)*(a+)+b\naaa",
    "[^\\W_]+[]a-f\\-]??\nGröße", "[0-9]{12}\nOB1S2G8I5O1B", "\\(\\.\\)|x*\n(.)",
  ].map { [0] + Array($0.utf8) }
  + [
    ["4006381333931"], ["I", "31.01.2026", "12 kWh"], ["AB12-345"],
    [
      "I<UTOD231458907<<<<<<<<<<<<<<<", "7408122F1204159UTO<<<<<<<<<<<6", "ERIKSSON<<ANNA<MARIA<<<<<<<<<<",
    ],
  ].map { lines in
    let symbols = lines.flatMap { line in
      line.enumerated().map { place, character in
        ReadSymbol(
          String(character), confidence: 0.9, choices: [.init(String(character), 0.9), .init("O", 0.2)],
          span: 0.1...0.2,
          beginsWord: place == 0)
      }
    }
    return [1] + TextReply(symbols: symbols).wireBytes
  }
