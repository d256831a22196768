/// Writes metrics in the text exposition format of Prometheus, version 0.0.4.
package struct MetricsText: Sendable {
  /// The prefix of all names.
  private let prefix: String
  /// The lines so far.
  package private(set) var lines: [String] = []

  package init(prefix: String) { self.prefix = prefix }

  /// Writes the head of a metric. Its samples follow.
  ///
  /// - Parameter type: `gauge`, `counter`, or `summary` for quantiles.
  package mutating func head(_ name: String, _ type: String, _ help: String) {
    lines.append("# HELP \(prefix)\(name) \(help)")
    lines.append("# TYPE \(prefix)\(name) \(type)")
  }

  /// Writes a sample of a metric.
  package mutating func sample<Value: Numeric & CustomStringConvertible>(
    _ name: String, _ value: Value, _ labels: [String: String] = [:]
  ) {
    let list = labels.sorted { $0.key < $1.key }.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }
    lines.append("\(prefix)\(name)\(list.isEmpty ? "" : "{\(list.joined(separator: ","))}") \(value)")
  }

  /// Writes a metric with one sample.
  package mutating func add<Value: Numeric & CustomStringConvertible>(
    _ name: String, _ type: String, _ help: String, _ value: Value, _ labels: [String: String] = [:]
  ) {
    add(name, type, help, [(labels, value)])
  }

  /// Writes a metric with a sample for each set of labels.
  package mutating func add<Value: Numeric & CustomStringConvertible>(
    _ name: String, _ type: String, _ help: String, _ samples: [(labels: [String: String], value: Value)]
  ) {
    head(name, type, help)
    for (labels, value) in samples { sample(name, value, labels) }
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
