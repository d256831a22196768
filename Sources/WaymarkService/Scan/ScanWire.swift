import FoundationEssentials
import WaymarkBarcodes
import WaymarkGeometry
import WaymarkJSON
import WaymarkOnboarding
import WaymarkPipeline
import WaymarkProtocol
import WaymarkSymbologies

/// Verdicts in the words of the wire.
extension ScanModule {
  nonisolated static func successful(
    _ scan: String, _ context: JSONValue?, _ success: Machine.Success, source: ScanSource,
    picture: String?, by actor: Actor?, policy: OnboardingPolicy
  ) -> ScanSuccessful {
    let symbol = success.symbol
    var event = ScanSuccessful(
      scan: scan, context: context, kind: success.verdict?.kind?.rawValue, symbology: symbol.symbology.rawValue,
      text: symbol.text, bytesBase64: Data(symbol.bytes).base64EncodedString(), charset: symbol.charset.rawValue,
      gs1: symbol.gs1.isEmpty ? nil : true, addOn: symbol.addOn,
      part: part(symbol),
      corners: corners(symbol.corners),
      connectTo: success.verdict?.connectTo, fields: success.verdict.map { fields($0.fields) }, source: source,
      picture: picture, by: actor)
    event.harmless.text = isHarmless(success, policy)
    event.harmless.fields = success.verdict.map { fields($0.fieldsForObservers) }
    return event
  }

  /// Which part of a message a code carries.
  nonisolated static func part(_ symbol: Symbol) -> MessagePart? {
    symbol.part.map { MessagePart(index: $0.index, count: $0.count, id: $0.id) }
  }

  /// Returns whether observers may see the text of a code that nobody has judged.
  func isHarmless(_ symbol: Symbol) -> Bool {
    Self.isHarmless(.init(symbol: symbol, verdict: nil), rules.judge.policy)
  }

  /// Returns whether observers may see the text of a code: what the policy's judge knows to be harmless, and the numbers of
  /// things for sale, whatever else they are read for.
  nonisolated static func isHarmless(_ success: Machine.Success, _ policy: OnboardingPolicy) -> Bool {
    if let verdict = success.verdict { return verdict.isHarmless }
    let symbol = success.symbol
    // A part does not show what the whole is.
    if symbol.part != nil { return false }
    switch symbol.symbology {
    case .ean13, .ean8, .upcA, .upcE, .dataBar: return true
    default: break
    }
    if !symbol.gs1.isEmpty { return symbol.gs1.allSatisfy { GS1DigitalLink.isPublic($0.identifier) } }
    return Inspection(ScannedCode(bytes: symbol.bytes, text: symbol.text), policy: policy).isHarmless
  }

  /// A field that stands once is its value, one that stands several times a list.
  nonisolated static func fields(_ fields: [PayloadField]) -> JSONValue {
    .object(
      Dictionary(grouping: fields, by: \.name).mapValues { same in
        same.count == 1 ? .string(same[0].value) : .array(same.map { .string($0.value) })
      })
  }

  nonisolated static func corners(_ quad: Quadrilateral) -> [[Double]] { quad.corners.map { [$0.x, $0.y] } }

  nonisolated static func reason(
    _ reason: ReadingFailure
  ) -> UnsuccessfulReason {
    switch reason {
    case .nothingFound: .nothingFound
    case .notQR: .notQR
    case .incomplete: .incomplete
    case .codeNotReadable: .codeNotReadable
    }
  }
}

extension LiveScan.Mode {
  /// As the wire names it.
  init(_ mode: ScanMode) { self = mode == .onboarding ? .onboarding : .barcode }
}

extension ScanMode {
  /// As the machine names it.
  init<Owner, Context>(_ mode: LiveScan<Owner, Context>.Mode) { self = mode == .onboarding ? .onboarding : .barcode }
}
