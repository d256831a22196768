/// A pseudorandom generator with a seed: xoshiro256** seeded by SplitMix64 (D. Blackman, S. Vigna, "Scrambled linear
/// pseudorandom number generators", ACM TOMS 47 (2021)).
package struct RandomSource: RandomNumberGenerator, Sendable {
  private var s: SIMD4<UInt64>

  package init(seed: UInt64) {
    var z = seed
    s = .zero
    for i in 0..<4 {
      z &+= 0x9E37_79B9_7F4A_7C15
      var x = z
      x = (x ^ (x >> 30)) &* 0xBF58_476D_1CE4_E5B9
      x = (x ^ (x >> 27)) &* 0x94D0_49BB_1331_11EB
      s[i] = x ^ (x >> 31)
    }
  }

  package mutating func next() -> UInt64 {
    let r = s.y &* 5
    let result = ((r << 7) | (r >> 57)) &* 9
    let t = s.y << 17
    s.z ^= s.x
    s.w ^= s.y
    s.y ^= s.z
    s.x ^= s.w
    s.z ^= t
    s.w = (s.w << 45) | (s.w >> 19)
    return result
  }

  /// Returns a random integer in 0 ..< `bound` (at most 2³²) by a multiplication instead of a division. The probability of each
  /// value differs from 1 / `bound` by at most 2⁻³².
  @inline(__always)
  package mutating func below(_ bound: Int) -> Int {
    Int(truncatingIfNeeded: ((next() >> 32) &* UInt64(truncatingIfNeeded: bound)) >> 32)
  }

  /// Returns a random number in 0 ..< 1.
  package mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Returns a random number from the standard normal distribution (Box and Muller).
  package mutating func gaussian() -> Double {
    (-2 * Double.naturalLogarithm(1 - unit())).squareRoot() * Double.cosine(2 * .pi * unit())
  }
}
