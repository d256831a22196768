import FoundationEssentials
import NIOPosix
import WaymarkBarcodes
import WaymarkImage
import WaymarkOnboarding
import WaymarkProtocol
import WaymarkServer
import WaymarkSystem
import WaymarkWorker

/// Scans pictures of the gallery and pictures that clients send.
///
/// Refused codes, and codes in barcode mode, are published at once. An accepted onboarding code arms a scan, which waits for the
/// confirmation as if a frame had shown the code.
@ServiceActor
final class StillScans {
  /// The reading of a picture with an accepted onboarding code.
  struct Accepted {
    var reading: ScanReading
    var size: PictureSize
    var symbologies: Set<Symbology>
    var context: JSONValue?
    /// The id of the picture in the gallery; nil for a picture that a client sent.
    var picture: String?
  }

  private unowned let hub: Hub
  private let isolation: Isolation
  private let idPrefix: String
  /// The name of this module's camera, added to the events; nil if there is only one camera.
  private let camera: String?
  private let rules: @ServiceActor () -> ScanRules
  private let arm: @ServiceActor (Accepted, Connection) throws -> GalleryScanResult
  private var count = 0

  init(
    hub: Hub, isolation: Isolation, idPrefix: String, camera: String?, rules: @escaping @ServiceActor () -> ScanRules,
    arm: @escaping @ServiceActor (Accepted, Connection) throws -> GalleryScanResult
  ) {
    self.hub = hub
    self.isolation = isolation
    self.idPrefix = idPrefix
    self.camera = camera
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

  /// Reads and judges a picture; the caller has reserved the memory for it.
  ///
  /// - Throws: the error of `read` or of `Isolation.codes`; `badParams` for an invalid region; or the refusal to arm a
  ///   scan.
  func scan(
    reading read: @escaping @Sendable () throws -> [UInt8], as request: GalleryScanRequest, _ connection: Connection
  ) async throws -> GalleryScanResult {
    let mode = request.mode ?? .onboarding
    let accepted =
      mode == .onboarding ? rules().settings.onboardingSymbologies : rules().settings.barcodeSymbologies
    // Reads all common symbologies, so that a code of a symbology that is not accepted is reported as such.
    let wanted = ScanConfiguration(symbologies: accepted.union(Symbology.common), effort: .still)
    let isolation = isolation
    let region = try request.region.map(ScanWire.region)
    var (reading, width, height) = try await hub.pictures.work(for: connection) { stop in
      try isolation.codes(in: try read(), wanted, or: stop)
    }
    let size = PictureSize(width: width, height: height)
    if let region { reading.keep(in: region, size) }
    return mode == .onboarding
      ? try judge(reading, size, accepted, request, connection) : codes(reading, size, accepted, request, connection)
  }

  /// Returns the id of the requested picture in the gallery; nil for a picture that a client sent.
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
      let event = ScanWire.invalid(
        id, request.context, reason, result, source: .picture, picture: Self.picture(request), by: connection.actor)
      hub.publish(event, camera: camera)
      return GalleryScanResult(
        scan: id, outcome: .invalid, invalid: event,
        choices: reason == .ambiguous ? choices(reading, center, accepted) : nil)
    case .unsuccessful(let reason):
      return unsuccessful(reason, result, request, connection)
    }
  }

  /// Returns the positions of the codes that would be accepted if each were alone, at most 32.
  private func choices(_ reading: ScanReading, _ center: Point2, _ accepted: Set<Symbology>) -> [CodePlace] {
    let alone = reading.symbols.lazy.filter { [self] symbol in
      let verdict = rules().judge.verdict(
        on: ScanReading(symbols: [symbol]), center: center, accepting: accepted, now: hub.date
      ).verdict
      return verdict.outcome == .successful
    }
    return alone.prefix(32).map { CodePlace(corners: ScanWire.corners($0.corners)) }
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
    hub.publish(event, camera: camera)
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
      let reason: ReadingFailure =
        if case .unsuccessful(let reason) = result.verdict.outcome { reason } else { .nothingFound }
      return unsuccessful(reason, result, request, connection)
    }
    let id = newStillID()
    let events = symbols.map { symbol -> ScanSuccessful in
      let success = LiveScan.Success(symbol: symbol, verdict: nil)
      let event = ScanWire.successful(
        id, request.context, success, source: .picture, picture: Self.picture(request), by: connection.actor,
        policy: rules().judge.policy)
      hub.publish(event, camera: camera)
      return event
    }
    return GalleryScanResult(scan: id, outcome: .successful, successful: events)
  }
}
