import Foundation
import WaymarkCrypto

/// A text that must not be shown or logged: a passcode, a password, the content of an activation code.
///
/// The type is not `Codable`, and its descriptions and its mirror hide the text, so that logging a value that contains a secret
/// does not reveal it. Below are the hash of a passcode (`PasscodeHash`), `PasscodeThrottle` and `PasscodeRules`.
package struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package var isEmpty: Bool { text.isEmpty }
  package var description: String { "[secret]" }
  package var debugDescription: String { "[secret]" }
  /// A mirror without children, because `dump` reads it.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The hash of a passcode: scrypt (RFC 7914) with its own salt and parameters, as a PHC string, `$scrypt$ln=16,r=8,p=1$SALT$HASH`.
/// Below, `PasscodeThrottle` makes a user wait after wrong passcodes, and `PasscodeRules` has the rules for new passcodes.
package struct PasscodeHash: Hashable, Sendable {
  /// The cost of checking one guess.
  package struct Cost: Hashable, Sendable {
    /// The binary logarithm of N; the memory is 128 · 2^`log` · `blocks` bytes.
    package var log: Int
    /// The parameter r.
    package var blocks = 8
    /// The parameter p.
    package var lanes = 1

    /// The cost of new hashes: 64 MiB, about 200 ms on a desktop.
    package static let standard = Cost(log: 16)

    /// True if each parameter is in its range and the memory of all lanes is at most 256 MiB, so that a damaged file cannot exhaust
    /// the memory.
    package var isWithinLimits: Bool {
      (1...18).contains(log) && (1...16).contains(blocks) && (1...4).contains(lanes)
        && 128 * (1 << log) * blocks * lanes <= 256 << 20
    }
  }

  package let cost: Cost
  private let salt: [UInt8]
  private let hash: [UInt8]

  /// Hashes a passcode with a salt and a cost.
  ///
  /// - Throws: an error if there is not enough memory.
  package init(_ passcode: Secret, cost: Cost = .standard, salt: [UInt8] = Self.newSalt()) throws {
    self.cost = cost
    self.salt = salt
    hash = try Self.derive(passcode, cost, salt, count: 32)
  }

  static func newSalt() -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  /// Parses a stored hash; nil if it is invalid or its cost exceeds the limits.
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

  /// The PHC string, as `init(text:)` parses it.
  package var text: String {
    "$scrypt$ln=\(cost.log),r=\(cost.blocks),p=\(cost.lanes)$\(Self.encoded(salt))$\(Self.encoded(hash))"
  }

  /// Compares a passcode in constant time.
  ///
  /// - Throws: an error if there is not enough memory.
  package func matches(_ passcode: Secret) throws -> Bool {
    let other = try Self.derive(passcode, cost, salt, count: hash.count)
    // All bytes are compared, so that the time does not reveal where they differ.
    return zip(hash, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private static func derive(_ passcode: Secret, _ cost: Cost, _ salt: [UInt8], count: Int) throws -> [UInt8] {
    let bytes = Array(PasscodeRules.normalized(passcode).text.utf8)
    return try Scrypt.derive(
      bytes, salt: salt, rounds: 1 << cost.log, blocks: cost.blocks, lanes: cost.lanes, count: count)
  }

  // PHC strings have no padding.
  private static func encoded(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().trimmingCharacters(in: ["="])
  }

  private static func decoded(_ text: Substring) -> [UInt8]? {
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    return Data(base64Encoded: text + padding).map(Array.init)
  }
}

/// The number of consecutive wrong passcodes, and the start of the wait after them.
///
/// Times are in seconds of the boot clock, so that setting the wall clock does not change a wait. After a restart the wait begins
/// again.
package struct PasscodeThrottle: Hashable, Sendable {
  /// The number of attempts since the last correct passcode, including the attempt being checked.
  package private(set) var failures: Int
  /// The time of the last attempt in seconds since the device's start.
  package private(set) var since: Double

  package init(failures: Int = 0, since: Double = 0) {
    self.failures = max(0, min(failures, 1_000_000))
    self.since = since.isFinite ? max(0, since) : 0
  }

  /// Counts an attempt before it is checked, so that cutting the power does not undo it.
  package mutating func count(at now: Double) {
    failures = min(failures + 1, 1_000_000)
    since = now
  }

  /// Forgets the attempts after a right passcode.
  package mutating func reset() { self = PasscodeThrottle() }

  /// Restarts the wait if the device was restarted, which is the case if the clock is before `since`.
  package mutating func resume(at now: Double) {
    if now < since { since = 0 }
  }

  /// Returns the seconds until the next attempt is allowed; 0 if it is allowed now.
  package func remaining(at now: Double, _ rules: PasscodeRules) -> Double {
    let wait = rules.wait(after: failures)
    return wait <= 0 ? 0 : max(0, wait - max(0, now - since))
  }
}

/// The rules for passcodes, and for the wait after wrong passcodes.
package struct PasscodeRules: Hashable, Sendable {
  /// The faults of a passcode. The error messages of the service contain the raw values.
  package enum Fault: String, CaseIterable, Sendable {
    case tooShort, tooLong, noDigit, noLower, noUpper, noSymbol, onlyDigits, badCharacter
  }

  /// The least length in characters. The largest is `maximum`, and 1024 bytes.
  package var minimum = 6
  package var maximum = 64
  /// True if the passcode must be a PIN of the digits 0 to 9.
  package var isNumeric = false
  package var needsDigit = false
  package var needsLower = false
  package var needsUpper = false
  /// True if a character that is neither a letter, a digit nor a space is required.
  package var needsSymbol = false
  /// The number of consecutive wrong passcodes after which a user has to wait.
  package var tries = 5
  /// The first wait in seconds; every further wrong passcode doubles it.
  package var wait = 30.0
  /// The longest wait in seconds.
  package var longestWait = 3600.0

  package init() {}

  /// Returns the faults of a passcode; empty if it is valid.
  package func faults(of passcode: Secret) -> [Fault] {
    let text = Self.normalized(passcode).text
    let scalars = text.unicodeScalars
    var faults: [Fault] = []
    if text.count < minimum { faults.append(.tooShort) }
    if text.count > maximum || text.utf8.count > 1024 { faults.append(.tooLong) }
    if scalars.contains(where: { $0.value < 32 || $0.value == 127 }) { faults.append(.badCharacter) }
    if isNumeric {
      if !scalars.allSatisfy({ ("0"..."9").contains($0) }) { faults.append(.onlyDigits) }
      return faults
    }
    if needsDigit, !scalars.contains(where: { $0.properties.numericType == .decimal }) { faults.append(.noDigit) }
    if needsLower, !scalars.contains(where: \.properties.isLowercase) { faults.append(.noLower) }
    if needsUpper, !scalars.contains(where: \.properties.isUppercase) { faults.append(.noUpper) }
    if needsSymbol,
      !scalars.contains(where: { !$0.properties.isAlphabetic && $0.properties.numericType == nil && $0 != " " })
    {
      faults.append(.noSymbol)
    }
    return faults
  }

  /// Normalizes a passcode to NFKC before it is compared, so that different keyboards agree. (The OpaqueString profile of RFC 8265,
  /// section 4.2, uses NFC; NFKC also maps the wide digits of Asian keyboards.)
  package static func normalized(_ passcode: Secret) -> Secret {
    Secret(passcode.text.precomposedStringWithCompatibilityMapping)
  }

  /// Returns the seconds to wait after a number of consecutive wrong passcodes; 0 below `tries`.
  package func wait(after failures: Int) -> Double {
    guard failures >= tries else { return 0 }
    var seconds = wait
    for _ in 0..<min(failures - tries, 64) where seconds < longestWait { seconds *= 2 }
    return min(seconds, longestWait)
  }
}
