/// The ways in which a picture is given to the reader, from the plain one to those that rescue a hard code.
public enum ScanPass: String, Hashable, Sendable, CaseIterable, Codable {
  /// The picture as it is.
  case base
}
