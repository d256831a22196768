import WaymarkService
import WaymarkSystem

/// A code to type. `TypingRules` below turns it into text and keys, `Substitution` replaces parts of its text.
package struct TypedCode: Sendable {
  /// The symbology's name on the wire, such as `ean13`.
  package var symbology: String
  package var text: String
  /// True if the code declares GS1 element strings.
  package var isGS1: Bool
  /// True if the code contains a secret. Such a code is not typed.
  package var isSecret: Bool
  /// The digits of an add-on, which are typed after the code.
  package var addOn: String?
  /// The element strings of the 2-D component above the code, which are typed with the symbology identifier only.
  package var component: String?

  package init(
    symbology: String, text: String, isGS1: Bool = false, isSecret: Bool = false, addOn: String? = nil,
    component: String? = nil
  ) {
    self.symbology = symbology
    self.text = text
    self.isGS1 = isGS1
    self.isSecret = isSecret
    self.addOn = addOn
    self.component = component
  }
}

/// The rules of typing codes: whether a code is typed, the text around it, and replacements.
package struct TypingRules: Sendable {
  /// How control characters in a code are handled.
  package enum Controls: String, CaseIterable, Sendable {
    /// Refuses the code.
    case refuse
    /// Omits them.
    case drop
    /// Presses the keys of Tab, line ends, Escape, Backspace and Delete, and refuses others.
    case keys
    /// Presses Ctrl and a letter, as terminals read them.
    case control
  }

  /// The rules for some symbologies.
  package struct Form: Sendable {
    package var isTyped = true
    package var prefix = KeyText()
    package var suffix = KeyText(pieces: [.key(KeyStroke(28))])
    /// True if the symbology identifier of ISO/IEC 15424 precedes the data.
    package var aim = false
    /// The text for the separator of GS1 (ASCII 29); nil to treat it as any other control character.
    package var separator: KeyText?
    package var controls = Controls.refuse
    package var substitutions: [Substitution] = []

    package init() {}
  }

  /// The rules for symbologies that `forms` does not contain.
  package var standard = Form()
  /// The rules by the name of the symbology.
  package var forms: [String: Form] = [:]

  /// Returns the pieces to type for a code.
  ///
  /// - Throws: a `TypingError` with the code `secretPayload`, `notTyped`, `controlCharacter`, `substitutionTooSlow` or
  ///   `tooLong`; `TypingErrorCode` has their conditions.
  package func pieces(for code: TypedCode) throws(TypingError) -> [KeyText.Piece] {
    guard !code.isSecret else {
      throw TypingError(
        .secretPayload, "A code with a secret in it is not typed.",
        hint: "Onboarding codes are for scan.begin in the mode onboarding.")
    }
    let form = forms[code.symbology] ?? standard
    guard form.isTyped else {
      throw TypingError(
        .notTyped, "Codes of the symbology \(code.symbology) are not typed.", hint: "Change type.rules to type them.")
    }
    var identifier = ""
    var data = code.text + (code.addOn ?? "")
    if form.aim {
      (identifier, data) = ScanWire.identified(
        code.text, symbology: code.symbology, isGS1: code.isGS1, addOn: code.addOn, component: code.component)
    }
    for substitution in form.substitutions { data = try substitution.apply(to: data) }
    guard data.utf8.count <= TypingError.longest else { throw .tooLong }
    return try form.prefix.pieces + (identifier.isEmpty ? [] : [.text(identifier)]) + form.pieces(of: data)
      + form.suffix.pieces
  }
}

extension TypingRules.Form {
  /// Converts control characters in the data to keys.
  fileprivate func pieces(of data: String) throws(TypingError) -> [KeyText.Piece] {
    var pieces: [KeyText.Piece] = []
    var plain = String.UnicodeScalarView()
    func flush() {
      if !plain.isEmpty { pieces.append(.text(String(plain))) }
      plain = String.UnicodeScalarView()
    }
    var last: Unicode.Scalar = " "
    for scalar in data.unicodeScalars {
      defer { last = scalar }
      guard scalar.properties.generalCategory == .control else {
        plain.append(scalar)
        continue
      }
      if scalar.value == 0x1D, let separator {
        flush()
        pieces += separator.pieces
        continue
      }
      switch controls {
      case .drop: break
      case .keys:
        // CR LF counts as one line end.
        if scalar == "\n", last == "\r" { continue }
        guard let stroke = KeyText.key(for: scalar) else { throw refusal(of: scalar) }
        flush()
        pieces.append(.key(stroke))
      case .control:
        guard scalar.value < 0x20 else { throw refusal(of: scalar) }
        flush()
        // A control character (C0) is a character from @ to _ minus 64, and is typed by pressing Ctrl with this character. If it is
        // a letter, it is pressed without Shift.
        let character = Unicode.Scalar(UInt8(scalar.value) + 0x40)
        pieces.append(.control(character.properties.lowercaseMapping.unicodeScalars.first ?? character))
      case .refuse: throw refusal(of: scalar)
      }
    }
    flush()
    return pieces
  }

  private func refusal(of scalar: Unicode.Scalar) -> TypingError {
    TypingError(
      .controlCharacter, "The code holds the control character \(scalar.codePoint).",
      hint: scalar.value == 0x1D
        ? "Set type.gs to what is typed for the separator of GS1."
        : "Set type.controls to what is typed for control characters.")
  }
}

extension Unicode.Scalar {
  /// The code point in Unicode's notation, such as `U+00E4`.
  var codePoint: String { "U+" + value.digits(4, radix: 16, uppercase: true) }
}

/// A regular expression with the replacement of its matches, `$1` being its first group.
package struct Substitution: Sendable {
  private let replacement: RegularExpressionReplacement
  /// The largest number of matching steps for one code. This many steps take some tenths of a second.
  private static let stepLimit = 1_000_000

  /// - Throws: `badSubstitution` if `pattern` is not a supported regular expression.
  package init(match pattern: String, replace template: String) throws(TypingError) {
    do throws(RegularExpressionFlaw) {
      replacement = try RegularExpressionReplacement(pattern, template: template)
    } catch {
      throw TypingError(
        .badSubstitution, "\"\(pattern)\" is not a supported regular expression: \(error.message).",
        hint: "Write it as docs/typing.md says, in single quotes, so that YAML leaves its backslashes alone.")
    }
  }

  /// Replaces every match in a text.
  ///
  /// - Throws: `substitutionTooSlow` after `stepLimit` steps; `tooLong` if the result has more than `TypingError.longest` bytes.
  func apply(to text: String) throws(TypingError) -> String {
    var steps = Self.stepLimit
    if let result = replacement.replacing(in: text, limit: TypingError.longest, steps: &steps) { return result }
    guard steps <= 0 else { throw .tooLong }
    throw TypingError(
      .substitutionTooSlow, "The substitution \"\(replacement.expression)\" takes too long on this code.",
      hint: "Write it without alternatives that look far ahead, such as a.*z|a.")
  }
}
