import FoundationEssentials
import NIOPosix
import WaymarkBarcodes
import WaymarkOnboarding
import WaymarkPipeline
import WaymarkProtocol
import WaymarkServer
import WaymarkSymbologies
import WaymarkSystem
import WaymarkWorker

/// Pictures of the gallery, and pictures that clients send.
extension ScanModule {
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
      mode == .onboarding ? rules.settings.onboardingSymbologies : rules.settings.barcodeSymbologies
    // Everything is looked for, so that a code of another symbology is told from none.
    let wanted = ScanConfiguration(symbologies: accepted.union(Symbology.common), effort: .still)
    let isolation = capture.isolation
    let (reading, width, height) = try await hub.pictures.work(for: connection) { stop in
      try isolation.codes(in: try read(), wanted, or: stop)
    }
    let size = PictureSize(width: width, height: height)
    return mode == .onboarding
      ? try judge(reading, size, accepted, request, connection) : codes(reading, size, accepted, request, connection)
  }

  /// The picture of the gallery that a request names; a picture that a client sent has no id.
  static func picture(_ request: GalleryScanRequest) -> String? { request.id.isEmpty ? nil : request.id }

  func newStillID() -> String {
    stillCount += 1
    return "still\(stillCount)"
  }

  func judge(
    _ reading: ScanReading, _ size: PictureSize, _ accepted: Set<Symbology>, _ request: GalleryScanRequest,
    _ connection: Connection
  ) throws -> GalleryScanResult {
    let center = ScanRegion.whole.center(in: size)
    let result = rules.judge.verdict(on: reading, center: center, accepting: accepted, now: hub.date)
    switch result.verdict.outcome {
    case .successful: return try arm(reading, size, accepted, request, connection)
    case .invalid(let reason):
      let id = newStillID()
      let event = ScanInvalid(
        scan: id, context: request.context, reason: reason.rawValue, kind: result.verdict.kind?.rawValue,
        corners: result.corners.map(Self.corners), source: .picture, picture: Self.picture(request),
        by: connection.actor)
      hub.publish(event)
      return GalleryScanResult(scan: id, outcome: .invalid, invalid: event)
    case .unsuccessful(let reason):
      return unsuccessful(reason, result, request, connection)
    }
  }

  func unsuccessful(
    _ reason: ReadingFailure, _ result: PictureVerdict, _ request: GalleryScanRequest,
    _ connection: Connection
  ) -> GalleryScanResult {
    let id = newStillID()
    let missing = result.verdict.missing
    let event = ScanUnsuccessful(
      scan: id, context: request.context, reason: Self.reason(reason), missing: missing.isEmpty ? nil : missing,
      corners: result.corners.map(Self.corners), source: .picture, picture: Self.picture(request),
      by: connection.actor)
    hub.publish(event)
    return GalleryScanResult(scan: id, outcome: .unsuccessful, unsuccessful: event)
  }

  /// An accepted picture waits for its confirmation like an accepted frame: it is armed and shown the picture.
  func arm(
    _ reading: ScanReading, _ size: PictureSize, _ accepted: Set<Symbology>, _ request: GalleryScanRequest,
    _ connection: Connection
  ) throws -> GalleryScanResult {
    // A client that left while the picture was read would hold the scanner for ever.
    guard hub.connections[connection.number] === connection else {
      throw ServiceError(.badPicture, "The client disconnected.", hint: "Send the picture again.")
    }
    let now = MonotonicClock.now
    let wanted = Machine.Request(
      owner: connection.number, mode: .onboarding, symbologies: accepted, context: request.context)
    var effects = machine.handle(.begin(wanted), at: now)
    for case .refused(let refusal) in effects { throw error(refusal) }
    if let id = machine.scan?.id { picture = (id, Self.picture(request)) }
    let look = Machine.Observation(reading: reading, size: size, captured: now, date: hub.date, judge: rules.judge)
    // Symbologies that misread want two frames that agree; a still picture agrees with itself.
    for _ in 0..<2 where machine.demand != nil { effects += machine.handle(.frame(look), at: now) }
    apply(effects)
    guard let pending = machine.pending else {
      throw ServiceError(.internalError, "The picture could not be processed.", hint: "See the service's log.")
    }
    return GalleryScanResult(
      scan: pending.scan.id, outcome: .successful, successful: [successful(pending.scan, pending.success)])
  }

  func codes(
    _ reading: ScanReading, _ size: PictureSize, _ accepted: Set<Symbology>, _ request: GalleryScanRequest,
    _ connection: Connection
  ) -> GalleryScanResult {
    let symbols = reading.symbols.filter { accepted.contains($0.symbology) }
    guard !symbols.isEmpty else {
      let result = rules.judge.verdict(
        on: reading, center: ScanRegion.whole.center(in: size), accepting: accepted, now: hub.date)
      if case .unsuccessful(let reason) = result.verdict.outcome {
        return unsuccessful(reason, result, request, connection)
      }
      return unsuccessful(.nothingFound, result, request, connection)
    }
    let id = newStillID()
    let events = symbols.map { symbol -> ScanSuccessful in
      let success = Machine.Success(symbol: symbol, verdict: nil)
      let event = Self.successful(
        id, request.context, success, source: .picture, picture: Self.picture(request), by: connection.actor,
        policy: rules.judge.policy)
      hub.publish(event)
      return event
    }
    return GalleryScanResult(scan: id, outcome: .successful, successful: events)
  }
}
