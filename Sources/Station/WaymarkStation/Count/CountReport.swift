import Foundation

/// The report of `waymark count`: the object of `--json`, the lines of `--csv`, and the text for a person.
package struct CountReport: Encodable {
  /// The property that makes two codes the same, so that they are counted once.
  package enum Identity: String, CaseIterable, Sendable {
    /// The content and the place: every copy is counted.
    case place
    /// The content: copies are counted once.
    case content
  }

  /// A code and the number of its copies.
  struct Code: Encodable {
    let symbology: String
    let text: String
    let amount: Int
    /// The name of the first picture that showed the content.
    let input: String
  }

  let by: String
  /// The number of pictures that were read.
  let pictures: Int
  /// `CodeCounter.stretches`: with more than 1, copies may be counted twice. Nil if each picture shows another shelf.
  package let stretches: Int?
  let total: Int
  let codes: [Code]

  package init(_ count: CodeCounter, by identity: Identity, inputs: [String], isMoving: Bool) {
    by = identity.rawValue
    pictures = inputs.count
    stretches = isMoving ? count.stretches : nil
    codes = count.firstViews.map { content, amount, view in
      Code(
        symbology: content.symbology, text: content.text, amount: identity == .place ? amount : 1,
        input: inputs.indices.contains(view) ? inputs[view] : "")
    }
    total = codes.reduce(0) { $0 + $1.amount }
  }

  /// The report as CSV (RFC 4180) with a header. Texts are quoted, so that separators, quotes and line ends in a code are
  /// preserved.
  package var csv: String {
    func field(_ text: String) -> String { "\"" + text.replacing("\"", with: "\"\"") + "\"" }
    let rows = codes.map { [field($0.symbology), field($0.text), "\($0.amount)", field($0.input)] }
    return ([["symbology", "text", "amount", "input"]] + rows).map { $0.joined(separator: ",") + "\r\n" }.joined()
  }

  /// The report as lines of text.
  package var text: String {
    let width = String(codes.map(\.amount).max() ?? 0).count
    let lines = codes.map { code in
      let amount = String(code.amount)
      return String(repeating: " ", count: width - amount.count) + "\(amount) × \(code.symbology) \(code.text)"
    }
    return (lines + ["\(total) in all, \(codes.count) different."]).joined(separator: "\n")
  }
}
