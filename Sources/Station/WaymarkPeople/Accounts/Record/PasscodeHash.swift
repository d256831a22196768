import Foundation
import WaymarkCrypto

/// A passcode as it is kept: scrypt (RFC 7914) with its own salt and parameters, in the form of PHC strings,
/// `$scrypt$ln=16,r=8,p=1$SALT$HASH`.
package struct PasscodeHash: Hashable, Sendable {
  /// The cost of checking one guess.
  package struct Cost: Hashable, Sendable {
    /// The binary logarithm of N; memory is 128 · 2^`log` · `blocks` bytes.
    package var log: Int
    /// r.
    package var blocks: Int
    /// p.
    package var lanes: Int

    package init(log: Int, blocks: Int = 8, lanes: Int = 1) {
      self.log = log
      self.blocks = blocks
      self.lanes = lanes
    }

    /// The cost for new passcodes: 64 MiB, some 200 ms of a desktop's processor.
    package static let standard = Cost(log: 16)

    /// True if a device can be asked to compute it: a damaged or foreign file must not take all memory.
    package var isWithinLimits: Bool {
      (1...18).contains(log) && (1...16).contains(blocks) && (1...4).contains(lanes)
        && 128 * (1 << log) * blocks * lanes <= 256 << 20
    }
  }

  /// How it was made.
  package let cost: Cost
  private let salt: [UInt8]
  private let hash: [UInt8]

  /// The hash of a passcode; takes as long as `cost` says.
  ///
  /// - Throws: when there is not enough memory.
  package init(_ passcode: Secret, cost: Cost = .standard, salt: [UInt8] = Self.newSalt()) throws {
    self.cost = cost
    self.salt = salt
    hash = try Self.derive(passcode, cost, salt, count: 32)
  }

  /// Sixteen bytes of chance.
  static func newSalt() -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  /// Reads a stored hash; `nil` for a text that is none, or that asks for more than a device bears.
  package init?(text: String) {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    guard text.utf8.count <= 256, parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt" else { return nil }
    var numbers: [Substring: Int] = [:]
    for pair in parts[2].split(separator: ",", omittingEmptySubsequences: false) {
      let sides = pair.split(separator: "=", omittingEmptySubsequences: false)
      guard sides.count == 2, let number = Int(sides[1]), numbers.updateValue(number, forKey: sides[0]) == nil else {
        return nil
      }
    }
    guard numbers.count == 3, let log = numbers["ln"], let blocks = numbers["r"], let lanes = numbers["p"],
      let salt = Self.decoded(parts[3]), let hash = Self.decoded(parts[4])
    else { return nil }
    let cost = Cost(log: log, blocks: blocks, lanes: lanes)
    guard (8...64).contains(salt.count), (16...64).contains(hash.count), cost.isWithinLimits else { return nil }
    (self.cost, self.salt, self.hash) = (cost, salt, hash)
  }

  /// As it is kept.
  package var text: String {
    "$scrypt$ln=\(cost.log),r=\(cost.blocks),p=\(cost.lanes)$\(Self.encoded(salt))$\(Self.encoded(hash))"
  }

  /// Returns whether this is the passcode; takes as long as `cost` says, whatever the passcode.
  ///
  /// - Throws: when there is not enough memory.
  package func matches(_ passcode: Secret) throws -> Bool {
    let other = try Self.derive(passcode, cost, salt, count: hash.count)
    // Every byte is looked at, so that the time tells nothing.
    return zip(hash, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private static func derive(_ passcode: Secret, _ cost: Cost, _ salt: [UInt8], count: Int) throws -> [UInt8] {
    let bytes = Array(PasscodeRules.normalized(passcode).text.utf8)
    return try Scrypt.derive(
      bytes, salt: salt, rounds: 1 << cost.log, blocks: cost.blocks, lanes: cost.lanes, count: count)
  }

  // Without padding, as PHC strings are.
  private static func encoded(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().trimmingCharacters(in: ["="])
  }

  private static func decoded(_ text: Substring) -> [UInt8]? {
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    return Data(base64Encoded: text + padding).map(Array.init)
  }
}
