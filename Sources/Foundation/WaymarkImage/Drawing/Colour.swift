/// A colour to draw with.
package struct Colour: Sendable, Hashable {
  package let red: UInt8
  package let green: UInt8
  package let blue: UInt8

  package init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  package static let black = Colour(0, 0, 0)
  package static let white = Colour(255, 255, 255)
  package static let green = Colour(0, 160, 70)
  package static let red = Colour(215, 40, 40)
  package static let blue = Colour(30, 110, 220)
  package static let orange = Colour(235, 140, 0)
}
