package import WaymarkFrames
package import WaymarkImage
package import WaymarkProtocol
import WaymarkServer
package import WaymarkSystem
package import WaymarkWorker

/// A problem code with a corresponding code in replies to clients. The file has the replies for problems of pictures, workers and
/// sources.
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
