import Foundation

/// The rules for passcodes, and for the wait after wrong ones.
package struct PasscodeRules: Hashable, Sendable {
  /// A fault of a passcode; the words are those of the wire.
  package enum Fault: String, CaseIterable, Sendable {
    case tooShort, tooLong, noDigit, noLower, noUpper, noSymbol, onlyDigits, badCharacter
  }

  /// The fewest characters.
  package var minimum = 6
  /// The most characters.
  package var maximum = 64
  /// True if only the digits 0 to 9 may stand in it: a PIN.
  package var isNumeric = false
  /// True if a digit must stand in it.
  package var needsDigit = false
  /// True if a lower-case letter must stand in it.
  package var needsLower = false
  /// True if an upper-case letter must stand in it.
  package var needsUpper = false
  /// True if something that is neither letter nor digit must stand in it.
  package var needsSymbol = false
  /// Wrong ones in a row after which one has to wait.
  package var tries = 5
  /// The first wait in seconds; every further wrong passcode doubles it.
  package var wait = 30.0
  /// The longest wait in seconds.
  package var longestWait = 3600.0

  /// The standard rules: six characters of any kind.
  package init() {}

  /// Returns the faults of a passcode; none when it may be used.
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

  /// A passcode as it is compared: in NFKC, so that one keyboard's ü is another's (RFC 8265, 4.2: the OpaqueString profile wants
  /// NFC; NFKC also makes one of the wide digits that Asian keyboards write).
  package static func normalized(_ passcode: Secret) -> Secret {
    Secret(passcode.text.precomposedStringWithCompatibilityMapping)
  }

  /// How long so many wrong passcodes in a row make wait, in seconds.
  package func wait(after failures: Int) -> Double {
    guard failures >= tries else { return 0 }
    var seconds = wait
    for _ in 0..<min(failures - tries, 64) where seconds < longestWait { seconds *= 2 }
    return min(seconds, longestWait)
  }
}
