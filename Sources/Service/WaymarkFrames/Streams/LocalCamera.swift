import WaymarkSystem

/// A camera of this computer, as an address names it behind its scheme: `NAME?width=1280&height=720&rate=30&format=MJPG`, every
/// part of which may be missing.
package struct LocalCamera: Sendable, Equatable {
  /// Its name; nil for the usual one.
  private(set) var name: String?
  /// The size and rate that it is asked for; nil: as it is.
  private(set) var width: Int?
  private(set) var height: Int?
  private(set) var rate: Int?
  /// True if it is to send Motion JPEG, as it comes, in place of plain pictures.
  private(set) var isMotionJPEG = false

  /// Reads what follows the scheme.
  ///
  /// - Parameter text: the name, with percent signs for what may not stand in an address, and the parameters.
  /// - Returns: nil for parameters that there are not, that occur twice, or whose values are out of range.
  init?(_ text: Substring) {
    let written = text.prefix { $0 != "?" }
    guard !written.hasPrefix("//"), let name = PercentCoding.decode(written.utf8),
      !name.unicodeScalars.contains(where: \.isControl),
      let parameters = PercentCoding.items(String(text.dropFirst(written.count + 1)))
    else { return nil }
    self.name = name.isEmpty ? nil : name
    for parameter in parameters {
      let number = Int(parameter.value) ?? 0
      switch parameter.name {
      case "width" where width == nil && (1...16384).contains(number): width = number
      case "height" where height == nil && (1...16384).contains(number): height = number
      case "rate" where rate == nil && (1...1000).contains(number): rate = number
      case "format" where !isMotionJPEG && parameter.value == "MJPG": isMotionJPEG = true
      default: return nil
      }
    }
  }
}
