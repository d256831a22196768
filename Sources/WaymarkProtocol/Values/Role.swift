/// The role of a connection.
public enum Role: String, Codable, CaseIterable, Sendable {
  /// Commands, full payloads, pictures.
  case `operator`
  /// Events with secrets redacted, no pictures.
  case observer
}
