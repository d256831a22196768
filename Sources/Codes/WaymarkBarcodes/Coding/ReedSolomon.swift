/// The finite field of an error-correcting code: GF(2^m) or the integers modulo a prime. `ReedSolomon` below has the codes.
struct FiniteField: Sendable {
  /// The number of elements.
  let size: Int
  private let isPrime: Bool
  /// The powers of the primitive element, stored twice in succession so that sums of logarithms need no reduction.
  private let powers: [UInt16]
  private let logarithms: [UInt16]

  /// Creates GF(2^bits) from a primitive polynomial, with its leading term.
  init(bits: Int, polynomial: Int) {
    let size = 1 << bits
    self.init(size: size, isPrime: false) { value in
      let next = value << 1
      return next & size != 0 ? next ^ polynomial : next
    }
  }

  /// Creates the integers modulo a prime; `generator` is a primitive root of it.
  init(prime: Int, generator: Int) {
    self.init(size: prime, isPrime: true) { $0 * generator % prime }
  }

  private init(size: Int, isPrime: Bool, next: (Int) -> Int) {
    self.size = size
    self.isPrime = isPrime
    var powers = [UInt16](repeating: 0, count: 2 * (size - 1))
    var logarithms = [UInt16](repeating: 0, count: size)
    var value = 1
    for i in 0..<(size - 1) {
      powers[i] = UInt16(value)
      powers[i + size - 1] = UInt16(value)
      logarithms[value] = UInt16(i)
      value = next(value)
    }
    self.powers = powers
    self.logarithms = logarithms
  }

  func sum(_ a: Int, _ b: Int) -> Int {
    guard isPrime else { return a ^ b }
    let s = a + b
    return s >= size ? s - size : s
  }

  func difference(_ a: Int, _ b: Int) -> Int {
    guard isPrime else { return a ^ b }
    let d = a - b
    return d < 0 ? d + size : d
  }

  func product(_ a: Int, _ b: Int) -> Int {
    a == 0 || b == 0 ? 0 : Int(powers[Int(logarithms[a]) + Int(logarithms[b])])
  }

  /// Returns `a / b`; `b` must not be zero.
  func quotient(_ a: Int, _ b: Int) -> Int {
    a == 0 ? 0 : Int(powers[Int(logarithms[a]) + size - 1 - Int(logarithms[b])])
  }

  /// Returns the sum of `n` summands `value` in the field.
  func multiple(_ n: Int, _ value: Int) -> Int {
    isPrime ? n % size * value % size : n.isMultiple(of: 2) ? 0 : value
  }

  /// Returns a power of the primitive element; the exponent must not be negative.
  func power(_ exponent: Int) -> Int { Int(powers[exponent % (size - 1)]) }
}

// MARK: - Codes

/// Finds and corrects wrong codewords of a Reed–Solomon code; the indices of unreadable codewords (erasures) may be known.
///
/// The method: syndromes, the Berlekamp–Massey algorithm started from the erasures, Chien's search and Forney's formula (R.
/// Blahut, "Algebraic Codes for Data Transmission", chapter 7).
package struct ReedSolomon: Sendable {
  let field: FiniteField
  /// The exponent of the first root of the generator polynomial.
  let firstRoot: Int

  /// The code of QR Code, Micro QR Code and rMQR (ISO/IEC 18004 clause 7.5).
  package static let qr = ReedSolomon(field: FiniteField(bits: 8, polynomial: 0x11D), firstRoot: 0)
  /// The code of Data Matrix (ISO/IEC 16022 clause 5.7), and of the codewords of eight bits of Aztec Code.
  package static let dataMatrix = ReedSolomon(field: FiniteField(bits: 8, polynomial: 0x12D), firstRoot: 1)
  /// The code of MaxiCode (ISO/IEC 16023), of the codewords of six bits of Aztec Code (ISO/IEC 24778 clause 7.2.3), and of
  /// Australia Post.
  static let sixBits = ReedSolomon(field: FiniteField(bits: 6, polynomial: 0x43), firstRoot: 1)
  /// The code of the mode message of Aztec Code, and of the function information of Han Xin Code.
  static let fourBits = ReedSolomon(field: FiniteField(bits: 4, polynomial: 0x13), firstRoot: 1)
  /// The code of Aztec Code with 9 to 22 layers.
  static let tenBits = ReedSolomon(field: FiniteField(bits: 10, polynomial: 0x409), firstRoot: 1)
  /// The code of Aztec Code with 23 to 32 layers.
  static let twelveBits = ReedSolomon(field: FiniteField(bits: 12, polynomial: 0x1069), firstRoot: 1)
  /// The code of PDF417 (ISO/IEC 15438 clause 5.10).
  package static let pdf417 = ReedSolomon(field: FiniteField(prime: 929, generator: 3), firstRoot: 1)
  /// The code of Royal Mail Mailmark.
  static let mailmark = ReedSolomon(field: FiniteField(bits: 5, polynomial: 0x25), firstRoot: 1)
  /// The code of Han Xin Code (ISO/IEC 20830 clause 5.6).
  static let hanXin = ReedSolomon(field: FiniteField(bits: 8, polynomial: 0x163), firstRoot: 1)
  /// The code of DotCode (AIM ISS DotCode clause 5.4).
  static let dotCode = ReedSolomon(field: FiniteField(prime: 113, generator: 3), firstRoot: 1)

  /// Corrects a block in place.
  ///
  /// - Parameters:
  ///   - words: data and check codewords in the order of transmission; the values of unreadable codewords are ignored.
  ///   - checks: the number of check codewords, at the end of `words`.
  ///   - erasures: the indices of unreadable codewords.
  ///   - reserve: the number of check codewords kept for error detection: a correction that needs them is refused.
  /// - Returns: the number of wrong codewords that are not erasures; `nil`, with `words` unchanged, if no valid block is
  ///   close enough.
  package func correct(_ words: inout [Int], checks: Int, erasures: [Int] = [], reserve: Int = 0) -> Int? {
    let count = words.count
    guard checks > 0, checks < count, count < field.size, erasures.count + reserve <= checks,
      words.allSatisfy({ $0 >= 0 && $0 < field.size }), erasures.allSatisfy(words.indices.contains)
    else { return nil }
    let syndromes = self.syndromes(words, checks)
    if syndromes.allSatisfy({ $0 == 0 }) { return 0 }
    let locator = self.locator(syndromes, erasures: erasures.map { count - 1 - $0 })
    let degree = locator.lastIndex { $0 != 0 } ?? 0
    guard degree >= erasures.count, 2 * degree - erasures.count <= checks - reserve else { return nil }
    // Chien's search: the codeword at position p is wrong if the locator is zero at α⁻ᵖ, where α is the primitive element.
    let order = field.size - 1
    var wrong: [Int] = []
    for p in 0..<count where evaluate(locator, at: field.power((order - p) % order)) == 0 { wrong.append(p) }
    guard wrong.count == degree else { return nil }
    var fixed = words
    let evaluator = self.evaluator(syndromes, locator)
    for p in wrong {
      let inverse = field.power((order - p) % order)
      let slope = derivative(locator, at: inverse)
      guard slope != 0 else { return nil }
      var value = field.quotient(evaluate(evaluator, at: inverse), slope)
      // Forney's formula: the error value is −X^(1−b)·Ω(1/X)/Λ′(1/X).
      value = field.product(value, field.power(((1 - firstRoot) * p % order + order) % order))
      fixed[count - 1 - p] = field.sum(fixed[count - 1 - p], value)
    }
    guard self.syndromes(fixed, checks).allSatisfy({ $0 == 0 }) else { return nil }
    let errors = fixed.indices.count { fixed[$0] != words[$0] && !erasures.contains($0) }
    words = fixed
    return errors
  }

  /// Corrects a block. If it has too many errors, tries again with more and more of its most doubtful codewords as erasures,
  /// because a block can have twice as many erasures as errors (after G. D. Forney, "Generalized minimum distance decoding", IEEE
  /// Trans. IT 12 (1966)).
  ///
  /// - Parameters:
  ///   - doubt: the doubt about each codeword, higher for less certain ones; empty if unknown.
  ///   - erasures: the indices of codewords that are certainly unreadable.
  /// - Returns: true if the block was corrected.
  package func correct(
    _ words: inout [Int], checks: Int, doubt: [Float], erasures: [Int] = [], reserve: Int = 0
  ) -> Bool {
    if correct(&words, checks: checks, erasures: erasures, reserve: reserve) != nil { return true }
    guard doubt.count == words.count else { return false }
    let known = Set(erasures)
    let order = erasures + doubt.indices.filter { !known.contains($0) }.sorted { doubt[$0] > doubt[$1] }
    // With as many erasures as check codewords, any block would fit: some check codewords are kept, so that the result is
    // not accidental.
    let reserve = max(reserve, 4)
    var count = erasures.count + 2
    while count + reserve <= checks {
      var trial = words
      if correct(&trial, checks: checks, erasures: Array(order.prefix(count)), reserve: reserve) != nil {
        words = trial
        return true
      }
      count += max(2, checks / 8)
    }
    return false
  }

  private func syndromes(_ words: [Int], _ checks: Int) -> [Int] {
    (0..<checks).map { j in
      let root = field.power(firstRoot + j)
      return words.reduce(0) { field.sum(field.product($0, root), $1) }
    }
  }

  /// Returns the coefficients of the error-and-erasure locator, lowest power first.
  private func locator(_ syndromes: [Int], erasures: [Int]) -> [Int] {
    let checks = syndromes.count
    var locator = [Int](repeating: 0, count: checks + 1)
    locator[0] = 1
    for (n, p) in erasures.enumerated() {
      let x = field.power(p)
      for i in stride(from: n + 1, through: 1, by: -1) {
        locator[i] = field.difference(locator[i], field.product(locator[i - 1], x))
      }
    }
    var previous = locator
    var length = erasures.count
    for r in erasures.count..<checks {
      var discrepancy = 0
      for i in 0...r { discrepancy = field.sum(discrepancy, field.product(locator[i], syndromes[r - i])) }
      previous.insert(0, at: 0)
      previous.removeLast()
      guard discrepancy != 0 else { continue }
      var next = locator
      for i in next.indices { next[i] = field.difference(next[i], field.product(discrepancy, previous[i])) }
      if 2 * length <= r + erasures.count {
        length = r + 1 + erasures.count - length
        previous = locator.map { field.quotient($0, discrepancy) }
      }
      locator = next
    }
    return locator
  }

  /// Returns the error evaluator: the product of the syndrome polynomial and the locator, modulo xⁿ for n
  /// syndromes.
  private func evaluator(_ syndromes: [Int], _ locator: [Int]) -> [Int] {
    syndromes.indices.map { i in
      (0...i).reduce(0) { field.sum($0, field.product(locator[$1], syndromes[i - $1])) }
    }
  }

  private func evaluate(_ polynomial: [Int], at x: Int) -> Int {
    polynomial.reversed().reduce(0) { field.sum(field.product($0, x), $1) }
  }

  /// Returns the formal derivative at `x`: the sum of i·cᵢ·xⁱ⁻¹, where the factor i means repeated addition in the field.
  private func derivative(_ polynomial: [Int], at x: Int) -> Int {
    var result = 0
    var power = 1
    for i in 1..<polynomial.count {
      result = field.sum(result, field.product(field.multiple(i, polynomial[i]), power))
      power = field.product(power, x)
    }
    return result
  }
}
