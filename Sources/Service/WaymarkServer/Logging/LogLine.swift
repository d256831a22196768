package import Logging
import WaymarkSystem

/// One message of the log as one line.
package struct LogLine: Sendable {
  package var time: String
  package var level: Logger.Level
  package var label: String
  package var subsystem: String?
  package var message: String
  package var metadata: [String: String]

  /// A message from its parts.
  package init(
    time: String, level: Logger.Level, label: String, subsystem: String?, message: String, metadata: [String: String]
  ) {
    self.time = time
    self.level = level
    self.label = label
    self.subsystem = subsystem
    self.message = message
    self.metadata = metadata
  }

  /// The line without its end.
  ///
  /// - Parameter isJournal: whether the journal reads it, which keeps the time itself and takes the level from a prefix
  ///   (`sd-daemon(3)`).
  package func text(_ format: LogSettings.Format, isJournal: Bool) -> String {
    let prefix = isJournal ? "<\(Self.priority(level))>" : ""
    switch format {
    case .text:
      let origin = subsystem.map { "\(label).\($0)" } ?? label
      let details = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\(Self.quoted($0.value))" }.joined()
      return prefix + (isJournal ? "" : "\(time) \(level) ") + "\(origin): " + Self.escaped(message) + details
    case .json:
      var fields: [(String, JSONValue)] = [
        ("time", .string(time)), ("level", .string(level.rawValue)),
        ("subsystem", .string(subsystem ?? LogSubsystem.service.rawValue)), ("message", .string(message)),
      ]
      fields += metadata.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }
      let body = fields.map { "\(Self.json($0.0)):\(Self.json($0.1))" }.joined(separator: ",")
      return prefix + "{\(body)}"
    }
  }

  /// `syslog(3)`: 2 critical, 3 error, 4 warning, 5 notice, 6 info, 7 debug.
  private static func priority(_ level: Logger.Level) -> Int {
    switch level {
    case .trace, .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    case .critical: 2
    }
  }

  private static func json(_ text: String) -> String { json(.string(text)) }

  private static func json(_ value: JSONValue) -> String {
    (try? JSONLineEncoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
  }

  private static func quoted(_ text: String) -> String {
    let plain = escaped(text)
    return plain.contains(" ") ? "\"\(plain.replacing("\"", with: "'"))\"" : plain
  }

  /// Text from outside must not end the line or steer a terminal.
  private static func escaped(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return text }
    return String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { $0.properties.generalCategory == .control ? Unicode.Scalar(0xFFFD)! : $0 }))
  }
}
