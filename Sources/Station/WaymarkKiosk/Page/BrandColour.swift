import Foundation

/// A colour of the integrator: its contrast with the page's backgrounds, and the shades that the page derives from it. Contrast is
/// defined by WCAG 2.2, 1.4.3.
struct BrandColour {
  /// The least contrast of text with its background, 1 to 21 (level AA).
  static let least = 4.5

  /// The backgrounds of the light or the dark scheme, on which the colour is used for text.
  struct Ground {
    let isLight: Bool
    /// The background with the least contrast.
    let worst: BrandColour
  }

  static let lightGround = Ground(isLight: true, worst: BrandColour(red: 0xE6, green: 0xE3, blue: 0xDC))
  static let darkGround = Ground(isLight: false, worst: BrandColour(red: 0x39, green: 0x36, blue: 0x46))

  private let red: Double
  private let green: Double
  private let blue: Double

  private init(red: Double, green: Double, blue: Double) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// Parses `#rrggbb`; nil if `text` has another format.
  init?(_ text: String) {
    guard text.wholeMatch(of: /#[0-9A-Fa-f]{6}/) != nil, let value = Int(text.dropFirst(), radix: 16) else {
      return nil
    }
    self.init(red: Double(value >> 16), green: Double(value >> 8 & 255), blue: Double(value & 255))
  }

  private var luminance: Double {
    func linear(_ part: Double) -> Double {
      let share = part / 255
      return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  }

  func contrast(with other: BrandColour) -> Double {
    let (high, low) = (max(luminance, other.luminance), min(luminance, other.luminance))
    return (high + 0.05) / (low + 0.05)
  }

  private func mixed(_ share: Double, _ other: BrandColour) -> BrandColour {
    func mix(_ one: Double, _ two: Double) -> Double { (one * share + two * (1 - share)).rounded() }
    return BrandColour(red: mix(red, other.red), green: mix(green, other.green), blue: mix(blue, other.blue))
  }

  private var text: String { "#" + [red, green, blue].map { String(format: "%02x", Int($0)) }.joined() }

  /// The CSS custom properties for a scheme. `--accent-soft` contains as much of the colour as leaves text in the colour readable
  /// on it.
  func rules(on ground: Ground) -> String {
    let white = BrandColour(red: 255, green: 255, blue: 255)
    let black = BrandColour(red: 0, green: 0, blue: 0)
    let letters = contrast(with: white) >= contrast(with: black) ? white : black
    let strong = mixed(0.82, letters.luminance > 0.5 ? black : white)
    let base = ground.isLight ? white : BrandColour(red: 0x14, green: 0x13, blue: 0x1B)
    let soft =
      stride(from: 0.2, through: 0.02, by: -0.02).map { mixed($0, base) }.first { contrast(with: $0) >= Self.least }
      ?? base
    return " --accent: \(text); --accent-strong: \(strong.text); --accent-text: \(letters.text); "
      + "--accent-soft: \(soft.text); --focus: \(text); "
  }
}
