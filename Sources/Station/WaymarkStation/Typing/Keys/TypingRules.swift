import WaymarkBarcodes
import WaymarkSystem

/// The properties of a code that typing depends on.
package struct TypedCode: Sendable {
  /// The symbology's name on the wire, such as `ean13`.
  package var symbology: String
  package var text: String
  /// True if the code declares GS1 element strings.
  package var isGS1: Bool
  /// True if it is something that onboarding reads, with a secret in it.
  package var isSecret: Bool
  /// The digits of the add-on beside a code of retail, which are typed behind it.
  package var addOn: String?

  package init(
    symbology: String, text: String, isGS1: Bool = false, isSecret: Bool = false, addOn: String? = nil
  ) {
    self.symbology = symbology
    self.text = text
    self.isGS1 = isGS1
    self.isSecret = isSecret
    self.addOn = addOn
  }
}

/// The rules of typing a code: the text around it, in it, and whether it is typed at all.
package struct TypingRules: Sendable {
  /// The treatment of control characters in a code.
  package enum Controls: String, CaseIterable, Sendable {
    /// A code that has one is not typed.
    case refuse
    /// They are left out.
    case drop
    /// Tab, line ends, Escape, Backspace and Delete press their keys; others are refused.
    case keys
    /// Ctrl and a letter, as terminals take them.
    case control
  }

  /// How codes of one kind are typed.
  package struct Form: Sendable {
    package var isTyped = true
    package var prefix = KeyText()
    package var suffix = KeyText(pieces: [.key(KeyStroke(28))])
    /// True if the symbology identifier of ISO/IEC 15424 goes before the data.
    package var aim = false
    /// The text typed for the separator of GS1 (ASCII 29); nil treats it as any other control character.
    package var separator: KeyText?
    package var controls = Controls.refuse
    package var substitutions: [Substitution] = []

    package init() {}
  }

  /// How codes are typed that no other form is for.
  package var standard: Form
  /// The form of single symbologies.
  package var forms: [String: Form]

  package init(standard: Form = Form(), forms: [String: Form] = [:]) {
    self.standard = standard
    self.forms = forms
  }

  /// Returns the pieces to type for a code.
  ///
  /// - Throws: `secretPayload`, `notTyped`, `controlCharacter`, `substitutionTooSlow`, `tooLong`.
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
      (identifier, data) =
        Symbology(rawValue: code.symbology)?.identified(code.text, isGS1: code.isGS1, addOn: code.addOn)
        ?? (Symbology.otherIdentifier, code.text)
    }
    for substitution in form.substitutions { data = try substitution.apply(to: data) }
    guard data.utf8.count <= TypingError.longest else { throw .tooLong }
    return try form.prefix.pieces + (identifier.isEmpty ? [] : [.text(identifier)]) + form.pieces(of: data)
      + form.suffix.pieces
  }
}

extension TypingRules.Form {
  /// The data with its control characters turned into keys.
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
        // CR and LF together are one line end.
        if scalar == "\n", last == "\r" { continue }
        guard let stroke = KeyText.key(for: scalar) else { throw refusal(of: scalar) }
        flush()
        pieces.append(.key(stroke))
      case .control:
        guard scalar.value < 0x20 else { throw refusal(of: scalar) }
        flush()
        // C0 stands 64 below the characters @ to _; letters are pressed without Shift.
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

extension KeyText {
  fileprivate init(pieces: [Piece]) {
    self.init()
    self.pieces = pieces
  }
}

extension Unicode.Scalar {
  /// As the standard writes it, such as `U+00E4`.
  var codePoint: String { "U+" + value.digits(4, radix: 16, uppercase: true) }
}
