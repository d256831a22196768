import WaymarkBarcodes
import WaymarkImage
import WaymarkOnboarding
import WaymarkPipeline
import WaymarkProtocol
package import WaymarkServer
package import WaymarkSymbologies
import WaymarkSystem

extension ScanModule {
  package func register(in methods: inout MethodTable) {
    methods.add(ScanBeginRequest.self) { [weak self] request, connection in
      guard let self else { throw ServiceError.stopping }
      let wanted = try Self.request(request, of: connection.number)
      try self.perform(.begin(wanted))
      return ScanBeginResult(scan: self.machine.scan?.id ?? "")
    }
    methods.add(ScanCancelRequest.self) { [weak self] request, connection in
      try self?.perform(.cancel(scan: request.scan, by: connection.number))
      return Empty()
    }
    methods.addLater(ScanConfirmRequest.self) { [weak self] request, connection in
      guard let self else { throw ServiceError.stopping }
      try self.perform(.confirm(scan: request.scan, by: connection.number))
      // Taken at once: it may be over before the answer is worked on.
      let recording = self.takeRecording()
      return {
        try await Self.written(recording)
        return Empty()
      }
    }
    methods.addLater(GalleryScanRequest.self) { [weak self] request, connection in
      guard let self else { throw ServiceError.stopping }
      return { try await self.scanPicture(request, connection) }
    }
    methods.addUpload(ScanPictureRequest.self, largest: ScanPictureRequest.largest) {
      [weak self] request, body, connection in
      guard let self else { throw ServiceError.stopping }
      guard let body else {
        throw ServiceError(
          .badParams, "size must be between 1 and \(ScanPictureRequest.largest) bytes.",
          hint: "Send the bytes of a picture file.")
      }
      return { try await self.scanUpload(request, body, connection) }
    }
  }

  static func request(_ request: ScanBeginRequest, of owner: Int) throws -> Machine.Request {
    var wanted = Machine.Request(owner: owner, mode: Machine.Mode(request.mode))
    wanted.symbologies = try request.symbologies.map { try symbologies($0) }
    if let shares = request.region {
      guard let region = ScanRegion(shares) else {
        throw ServiceError(
          .badParams, "region must be four fractions x, y, width, height inside the frame.",
          hint: "[0.25, 0.25, 0.5, 0.5] is the middle of the frame.")
      }
      wanted.region = region
    }
    wanted.timeout = request.timeout
    wanted.once = request.once ?? false
    wanted.context = request.context
    return wanted
  }

  /// Symbologies by their names.
  package nonisolated static func symbologies(_ names: [String]) throws -> Set<Symbology> {
    guard !names.isEmpty else {
      throw ServiceError(.badParams, "symbologies is empty.", hint: "Leave it out for the configured ones.")
    }
    return Set(
      try names.map { name in
        guard let symbology = Symbology(name: name) else {
          let known = Symbology.allCases.map(\.rawValue).joined(separator: ", ")
          throw ServiceError(
            .badParams, "There is no symbology \"\(DisplayText.escaped(name, limit: 40))\".", hint: "Known: \(known).")
        }
        return symbology
      })
  }

  /// Hands a request of a client in; a refusal is thrown.
  func perform(_ input: Machine.Input) throws {
    let effects = machine.handle(input, at: MonotonicClock.now)
    apply(effects)
    for case .refused(let refusal) in effects { throw error(refusal) }
  }

  func error(_ refusal: Machine.Refusal) -> ServiceError {
    switch refusal {
    case .busy(let holder):
      ServiceError(
        .busy, "Another client holds the scanner.", hint: "Wait until its scan is over.", holder: actor(holder))
    case .noScan: ServiceError(.noScan, "No scan of this id is armed.", hint: "Arm one with scan.begin.")
    case .nothingToConfirm:
      ServiceError(.nothingToConfirm, "No verdict is waiting to be confirmed.", hint: "Wait for scan.successful.")
    case .confirming:
      ServiceError(.busy, "A confirmation is being saved.", hint: "Try again in a moment.")
    }
  }

  /// Returns the client behind a connection.
  func actor(_ owner: Int?) -> Actor? {
    owner.map { number in
      Actor(client: number, user: hub.connections[number].map { Int($0.peer.user) })
    }
  }
}
