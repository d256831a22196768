import FoundationEssentials
import NIOPosix
import WaymarkBarcodes
import WaymarkImage
import WaymarkOnboarding
import WaymarkProtocol
import WaymarkServer
import WaymarkSystem
import WaymarkWorker

/// Scans of pictures: those of the gallery, and those that clients send.
///
/// Codes that are refused, and any code in barcode mode, are told at once. A picture with an accepted code is armed, and waits for
/// its confirmation as a frame does.
@ServiceActor
final class StillScans {
  /// A picture with a code that may onboard the device.
  struct Accepted {
    var reading: ScanReading
    var size: PictureSize
    /// The symbologies that were looked for.
    var symbologies: Set<Symbology>
    var context: JSONValue?
    /// The picture of the gallery.
    var picture: String?
  }

  private unowned let hub: Hub
  private let isolation: Isolation
  private let idPrefix: String
  private let rules: @ServiceActor () -> ScanRules
  private let arm: @ServiceActor (Accepted, Connection) throws -> GalleryScanResult
  private var count = 0

  /// - Parameters:
  ///   - idPrefix: the beginning of the ids of these scans.
  ///   - rules: the rules that scans keep to now.
  ///   - arm: arms the scan and shows it a picture.
  init(
    hub: Hub, isolation: Isolation, idPrefix: String, rules: @escaping @ServiceActor () -> ScanRules,
    arm: @escaping @ServiceActor (Accepted, Connection) throws -> GalleryScanResult
  ) {
    self.hub = hub
    self.isolation = isolation
    self.idPrefix = idPrefix
    self.rules = rules
    self.arm = arm
  }

  func scanPicture(_ request: GalleryScanRequest, _ connection: Connection) async throws -> GalleryScanResult {
    guard let gallery = hub.modules.lazy.compactMap({ $0 as? GalleryModule }).first else {
      throw GalleryModule.notConfigured
    }
    let file = try await gallery.open(request.id)
    let reservation = try await hub.pictures.reservation(for: file.size, of: connection)
    defer { withExtendedLifetime(reservation) {} }
    return try await scan(reading: { try file.read() }, as: request, connection)
  }

  /// Judges a picture that its client sends.
  func scanUpload(
    _ request: ScanPictureRequest, _ body: RequestBody, _ connection: Connection
  ) async throws -> GalleryScanResult {
    let reservation: PictureScheduler.Reservation
    do {
      reservation = try await hub.pictures.reservation(for: request.size, of: connection)
    } catch {
      body.skip()
      throw error
    }
    defer { withExtendedLifetime(reservation) {} }
    body.keep()
    let bytes = try await body.collect()
    return try await scan(
      reading: { bytes }, as: GalleryScanRequest(id: "", mode: request.mode, context: request.context), connection)
  }

  /// Judges a picture whose room is taken.
  ///
  /// - Parameter read: the bytes of its file; blocks.
  func scan(
    reading read: @escaping @Sendable () throws -> [UInt8], as request: GalleryScanRequest, _ connection: Connection
  ) async throws -> GalleryScanResult {
    let mode = request.mode ?? .onboarding
    let accepted =
      mode == .onboarding ? rules().settings.onboardingSymbologies : rules().settings.barcodeSymbologies
    // Everything is looked for, so that a code of another symbology is told from none.
    let wanted = ScanConfiguration(symbologies: accepted.union(Symbology.common), effort: .still)
    let isolation = isolation
    let (reading, width, height) = try await hub.pictures.work(for: connection) { stop in
      try isolation.codes(in: try read(), wanted, or: stop)
    }
    let size = PictureSize(width: width, height: height)
    return mode == .onboarding
      ? try judge(reading, size, accepted, request, connection) : codes(reading, size, accepted, request, connection)
  }

  /// The picture of the gallery that a request names; a picture that a client sent has no id.
  private static func picture(_ request: GalleryScanRequest) -> String? { request.id.isEmpty ? nil : request.id }

  private func newStillID() -> String {
    count += 1
    return "\(idPrefix)still\(count)"
  }

  private func judge(
    _ reading: ScanReading, _ size: PictureSize, _ accepted: Set<Symbology>, _ request: GalleryScanRequest,
    _ connection: Connection
  ) throws -> GalleryScanResult {
    let center = ScanRegion.whole.center(in: size)
    let result = rules().judge.verdict(on: reading, center: center, accepting: accepted, now: hub.date)
    switch result.verdict.outcome {
    case .successful:
      return try arm(
        Accepted(
          reading: reading, size: size, symbologies: accepted, context: request.context,
          picture: Self.picture(request)), connection)
    case .invalid(let reason):
      let id = newStillID()
      let event = ScanInvalid(
        scan: id, context: request.context, reason: RefusalReason(reason), kind: result.verdict.kind?.rawValue,
        corners: result.corners.map(ScanWire.corners), source: .picture, picture: Self.picture(request),
        by: connection.actor)
      hub.publish(event)
      return GalleryScanResult(scan: id, outcome: .invalid, invalid: event)
    case .unsuccessful(let reason):
      return unsuccessful(reason, result, request, connection)
    }
  }

  private func unsuccessful(
    _ reason: ReadingFailure, _ result: PictureVerdict, _ request: GalleryScanRequest,
    _ connection: Connection
  ) -> GalleryScanResult {
    let id = newStillID()
    let missing = result.verdict.missing
    let event = ScanUnsuccessful(
      scan: id, context: request.context, reason: ScanWire.reason(reason), missing: missing.isEmpty ? nil : missing,
      corners: result.corners.map(ScanWire.corners), source: .picture, picture: Self.picture(request),
      by: connection.actor)
    hub.publish(event)
    return GalleryScanResult(scan: id, outcome: .unsuccessful, unsuccessful: event)
  }

  private func codes(
    _ reading: ScanReading, _ size: PictureSize, _ accepted: Set<Symbology>, _ request: GalleryScanRequest,
    _ connection: Connection
  ) -> GalleryScanResult {
    let symbols = reading.symbols.filter { accepted.contains($0.symbology) }
    guard !symbols.isEmpty else {
      let result = rules().judge.verdict(
        on: reading, center: ScanRegion.whole.center(in: size), accepting: accepted, now: hub.date)
      if case .unsuccessful(let reason) = result.verdict.outcome {
        return unsuccessful(reason, result, request, connection)
      }
      return unsuccessful(.nothingFound, result, request, connection)
    }
    let id = newStillID()
    let events = symbols.map { symbol -> ScanSuccessful in
      let success = ScanMachine.Success(symbol: symbol, verdict: nil)
      let event = ScanWire.successful(
        id, request.context, success, source: .picture, picture: Self.picture(request), by: connection.actor,
        policy: rules().judge.policy)
      hub.publish(event)
      return event
    }
    return GalleryScanResult(scan: id, outcome: .successful, successful: events)
  }
}
