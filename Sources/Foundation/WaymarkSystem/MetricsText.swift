/// Figures as they grow into the text exposition format of Prometheus, version 0.0.4.
package struct MetricsText: Sendable {
  /// The beginning of the name of each figure.
  private let prefix: String
  /// The lines so far.
  package private(set) var lines: [String] = []

  /// Without a figure.
  package init(prefix: String) { self.prefix = prefix }

  /// Begins a figure with its meaning; its samples follow.
  ///
  /// - Parameter type: `gauge` or `counter`.
  package mutating func head(_ name: String, _ type: String, _ help: String) {
    lines.append("# HELP \(prefix)\(name) \(help)")
    lines.append("# TYPE \(prefix)\(name) \(type)")
  }

  /// The value of a figure, or of one of its parts as the labels name it.
  package mutating func sample<Value: Numeric & CustomStringConvertible>(
    _ name: String, _ value: Value, _ labels: [String: String] = [:]
  ) {
    let list = labels.sorted { $0.key < $1.key }.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }
    lines.append("\(prefix)\(name)\(list.isEmpty ? "" : "{\(list.joined(separator: ","))}") \(value)")
  }

  /// A figure of one value.
  package mutating func add<Value: Numeric & CustomStringConvertible>(
    _ name: String, _ type: String, _ help: String, _ value: Value, _ labels: [String: String] = [:]
  ) {
    head(name, type, help)
    sample(name, value, labels)
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
