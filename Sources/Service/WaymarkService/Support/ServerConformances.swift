package import WaymarkFrames
package import WaymarkImage
package import WaymarkProtocol
package import WaymarkServer
package import WaymarkSystem
package import WaymarkWorker

// The values of other modules that the server sends: replies for problems of pictures, workers and sources (`ReplyableCode`), and
// events that replace older ones (`NewestEvent`).

/// A problem code with a corresponding code in replies to clients.
package protocol ReplyableCode: ProblemCode {
  var reply: ServiceError.Code { get }
}

extension Problem: Replyable where Kind: ReplyableCode {
  package var reply: ServiceError { ServiceError(code.reply, message, hint: hint) }
}

extension ImageErrorCode: ReplyableCode {
  package var reply: ServiceError.Code { .badPicture }
}

extension WorkerFailure: Replyable {
  package var reply: ServiceError {
    if case .cannotStart = self { return ServiceError(.internalError, message, hint: hint) }
    return ServiceError(.badPicture, message, hint: hint)
  }
}

extension SourceErrorCode: ReplyableCode {
  package var reply: ServiceError.Code {
    switch self {
    case "unknownControl": .notFound
    case "controlOutOfRange": .badParams
    case "controlRefused": .notSupported
    default: .noCamera
    }
  }
}

// MARK: - Events that replace older ones in the outbox of a client that reads slowly

/// An event type that replaces the previous event of the same type in an outbox, so that only the newest is sent.
package protocol NewestEvent: CoalescingEvent {}

extension NewestEvent {
  package var coalescingKey: String? { Self.event }
}

extension AnchorsUpdated: NewestEvent {}
extension CodesUpdated: NewestEvent {}
extension CountState: NewestEvent {}
extension Statistics: NewestEvent {}
extension SceneProgress: NewestEvent {}
extension DocumentOutline: NewestEvent {}
extension TextCandidates: NewestEvent {}

// Progress within a state is replaced by newer progress; every change of state is sent.

extension AccountState: CoalescingEvent {
  package var coalescingKey: String? { phase == .sync ? Self.event : nil }
}

extension ScannerStatus: CoalescingEvent {
  package var coalescingKey: String? { frames == nil ? nil : Self.event }
}
