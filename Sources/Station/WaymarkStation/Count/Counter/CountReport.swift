import Foundation

/// The report of `waymark count`: the object of `--json`, the lines of `--csv`, and the text for a person.
package struct CountReport: Encodable {
  /// A code and how often it is there.
  struct Code: Encodable {
    let symbology: String
    let text: String
    let amount: Int
    /// The picture that showed it first.
    let input: String
  }

  /// `place` or `content`.
  let by: String
  /// Pictures that were looked at.
  let pictures: Int
  /// Stretches between which the camera's position was lost; above 1 copies may count twice. Missing where pictures stand for themselves.
  package let stretches: Int?
  let total: Int
  let codes: [Code]

  package init(_ count: CodeCounter, by identity: CodeCounter.Identity, inputs: [String], isMoving: Bool) {
    by = identity.rawValue
    pictures = inputs.count
    stretches = isMoving ? count.stretches : nil
    codes = count.result(by: identity).map { counted in
      Code(
        symbology: counted.content.symbology, text: counted.content.text, amount: counted.amount,
        input: inputs.indices.contains(counted.firstView) ? inputs[counted.firstView] : "")
    }
    total = codes.reduce(0) { $0 + $1.amount }
  }

  /// RFC 4180: every field quoted, so that separators, quotes and line ends in a code stay what they are.
  package var csv: String {
    func field(_ text: String) -> String { "\"" + text.replacing("\"", with: "\"\"") + "\"" }
    let rows = codes.map { [field($0.symbology), field($0.text), "\($0.amount)", field($0.input)] }
    return ([["symbology", "text", "amount", "input"]] + rows).map { $0.joined(separator: ",") + "\r\n" }.joined()
  }

  /// The report for a person to read.
  package var text: String {
    let width = String(codes.map(\.amount).max() ?? 0).count
    let lines = codes.map { code in
      let amount = String(code.amount)
      return String(repeating: " ", count: width - amount.count) + "\(amount) × \(code.symbology) \(code.text)"
    }
    return (lines + ["\(total) in all, \(codes.count) different."]).joined(separator: "\n")
  }
}
