import FoundationEssentials
package import WaymarkBarcodes
package import WaymarkImage
package import WaymarkOnboarding
package import WaymarkProtocol
import WaymarkServer
package import WaymarkSystem

/// Converts requests, verdicts and refusals of scans between the protocol and `LiveScan`.
package enum ScanWire {
  package static func successful(
    _ scan: String, _ context: JSONValue?, _ success: LiveScan.Success, source: ScanSource,
    picture: String?, by actor: Actor?, policy: OnboardingPolicy
  ) -> ScanSuccessful {
    let symbol = success.symbol
    var event = ScanSuccessful(
      scan: scan, context: context, kind: success.verdict?.kind?.rawValue, symbology: symbol.symbology.rawValue,
      text: symbol.text, bytesBase64: Data(symbol.bytes).base64EncodedString(), charset: symbol.charset.rawValue,
      gs1: symbol.gs1.isEmpty ? nil : true, addOn: symbol.addOn,
      part: part(symbol), composite: composite(symbol), label: label(symbol), corners: corners(symbol.corners),
      connectTo: success.verdict?.connectTo, fields: success.verdict.map { fields($0.fields) }, source: source,
      picture: picture, by: actor)
    event.harmless.text = isHarmless(success, policy)
    event.harmless.fields = success.verdict.map { fields($0.fieldsForObservers) }
    return event
  }

  static func invalid(
    _ scan: String, _ context: JSONValue?, _ reason: InvalidReason, _ result: PictureVerdict, source: ScanSource,
    picture: String?, by actor: Actor?
  ) -> ScanInvalid {
    let refusal = result.verdict.refusal
    var event = ScanInvalid(
      scan: scan, context: context, reason: RefusalReason(reason), kind: result.verdict.kind?.rawValue,
      field: refusal?.field, explanation: refusal?.detail, corners: result.corners.map(corners), source: source,
      picture: picture, by: actor)
    event.finding = result.verdict.findingForObservers
    return event
  }

  package static func part(_ symbol: Symbol) -> MessagePart? {
    symbol.part.map { MessagePart(index: $0.index, count: $0.count, id: $0.id) }
  }

  package static func composite(_ symbol: Symbol) -> Composite? {
    symbol.composite.map { Composite(state: $0.text == nil ? .incomplete : .joined, text: $0.text) }
  }

  package static func label(_ symbol: Symbol) -> CodeLabel? {
    symbol.label.map { label in
      CodeLabel(
        kind: LabelKind(rawValue: label.kind.rawValue), check: label.check.map { LabelCheck(rawValue: $0.rawValue) },
        fields: Dictionary(uniqueKeysWithValues: label.fields.map { ($0.name, $0.value) }))
    }
  }

  /// Returns whether observers may see the text of a code: true for the numbers of products, and for text that the policy judges
  /// harmless.
  package static func isHarmless(_ success: LiveScan.Success, _ policy: OnboardingPolicy) -> Bool {
    if let verdict = success.verdict { return verdict.isHarmless }
    let symbol = success.symbol
    // The text of one part does not show whether the message is harmless.
    if symbol.part != nil { return false }
    switch symbol.symbology {
    case .ean13, .ean8, .upcA, .upcE, .dataBar: if symbol.composite?.text == nil { return true }
    default: break
    }
    if !symbol.gs1.isEmpty { return symbol.gs1.allSatisfy { GS1DigitalLink.isPublic($0.identifier) } }
    return Inspection(ScannedCode(bytes: symbol.bytes, text: symbol.text), policy: policy).isHarmless
  }

  /// Converts fields to an object: a string for a field that occurs once, an array of strings for a repeated field.
  package static func fields(_ fields: [PayloadField]) -> JSONValue {
    .object(
      Dictionary(grouping: fields, by: \.name).mapValues { same in
        same.count == 1 ? .string(same[0].value) : .array(same.map { .string($0.value) })
      })
  }

  package static func corners(_ quad: Quadrilateral) -> [[Double]] { quad.corners.map { [$0.x, $0.y] } }

  package static func reason(_ reason: ReadingFailure) -> UnsuccessfulReason {
    switch reason {
    case .nothingFound: .nothingFound
    case .notQR: .notQR
    case .incomplete: .incomplete
    case .codeNotReadable: .codeNotReadable
    }
  }

  package static func request(_ request: ScanBeginRequest, of owner: Int) throws -> LiveScan.Request {
    var wanted = LiveScan.Request(owner: owner, mode: request.mode)
    wanted.symbologies = try request.symbologies.map { try symbologies($0) }
    if let shares = request.region { wanted.region = try region(shares) }
    wanted.timeout = request.timeout
    wanted.once = request.once ?? false
    wanted.context = request.context
    return wanted
  }

  package static func region(_ shares: [Double]) throws -> ScanRegion {
    guard let region = ScanRegion(shares) else {
      throw ServiceError(
        .badParams, "region must be four fractions x, y, width, height inside the frame.",
        hint: "[0.25, 0.25, 0.5, 0.5] is the middle of the frame.")
    }
    return region
  }

  package static func symbologies(_ names: [String]) throws -> Set<Symbology> {
    guard !names.isEmpty else {
      throw ServiceError(.badParams, "symbologies is empty.", hint: "Leave it out for the configured ones.")
    }
    return try names.reduce(into: []) { symbologies, name in
      guard let named = Symbology.named(name) else {
        throw ServiceError(
          .badParams, "There is no symbology \"\(DisplayText.escaped(name, limit: 40))\".",
          hint: "Known: \(symbologyNames).")
      }
      symbologies.formUnion(named)
    }
  }

  /// The words that a list of symbologies may contain, separated by commas, for a hint.
  package static var symbologyNames: String {
    (Symbology.allCases.map(\.rawValue) + ["all"]).joined(separator: ", ")
  }

  /// Returns the names of the symbologies for a word of a list; `nil` for an unknown word.
  package static func symbologyNames(of word: String) -> [String]? {
    Symbology.named(word).map { named in Symbology.allCases.filter(named.contains).map(\.rawValue) }
  }

  /// Returns the symbology identifier of a code, and the data that follow it, as defined by ISO/IEC 15424.
  package static func identified(
    _ text: String, symbology: String, isGS1: Bool, addOn: String?, component: String? = nil
  ) -> (identifier: String, data: String) {
    Symbology(rawValue: symbology)?.identified(text, isGS1: isGS1, addOn: addOn, component: component)
      ?? (Symbology.otherIdentifier, text)
  }

  package static let alreadyConfirmed = ServiceError(
    .replayed, "The code was confirmed before.", hint: "Ask for a new code.")

  /// Returns the error that a client receives for a refusal.
  package static func error(_ refusal: LiveScan.Refusal, client: (Int?) -> Actor?) -> ServiceError {
    switch refusal {
    case .busy(let holder):
      ServiceError(
        .busy, "Another client holds the scanner.", hint: "Wait until its scan is over.", holder: client(holder))
    case .noScan: ServiceError(.noScan, "No scan is armed, or none with this id.", hint: "Arm one with scan.begin.")
    case .nothingToConfirm:
      ServiceError(.nothingToConfirm, "No verdict is waiting to be confirmed.", hint: "Wait for scan.successful.")
    case .notAccepted(.replayed): alreadyConfirmed
    case .notAccepted(let reason):
      ServiceError(
        .codeRefused, "The code is not accepted any more: \(reason.rawValue).",
        hint: "Ask for a new code; docs/onboarding.md explains the reason.")
    case .confirming:
      ServiceError(.busy, "A confirmation is being saved.", hint: "Try again in a moment.")
    }
  }
}
