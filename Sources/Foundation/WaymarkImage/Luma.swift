/// Colour to gray by ITU-R BT.601: 0.299 R + 0.587 G + 0.114 B, in 15-bit fixed point.
@usableFromInline
package enum Luma {
  @inlinable
  package static func of(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> UInt8 {
    UInt8(truncatingIfNeeded: (UInt32(red) &* 9798 &+ UInt32(green) &* 19235 &+ UInt32(blue) &* 3735 &+ 16384) &>> 15)
  }

  /// `count` pixels of three bytes each.
  package static func convert(rgb: UnsafePointer<UInt8>, to gray: UnsafeMutablePointer<UInt8>, count: Int) {
    for i in 0..<count {
      gray[i] = of(rgb[3 &* i], rgb[3 &* i &+ 1], rgb[3 &* i &+ 2])
    }
  }

  /// `value` with opacity `alpha` over `background`.
  @inlinable
  package static func mix(_ value: UInt8, alpha: UInt8, over background: UInt8) -> UInt8 {
    let a = UInt32(alpha)
    return UInt8(truncatingIfNeeded: (UInt32(value) &* a &+ UInt32(background) &* (255 &- a) &+ 127) / 255)
  }
}
