import WaymarkProtocol

/// A request after which a connection's bytes have no meaning: it is answered, then the connection is closed.
struct HopelessRequest: Error {
  let error: ServiceError
  let reason: CloseReason
}
