import Synchronization
import WaymarkSystem

/// A backend for looking at the integrator's page while there is neither a camera nor a running service.
///
/// It takes the forms that the page hands over and tells them to `onForm`, as programs would be told of them; whatever needs the service is refused with
/// `preview`.
package final class PreviewBackend: KioskBackend {
  private let onForm: @Sendable (String) -> Void
  private let forms = Mutex(0)

  /// - Parameter onForm: called with every form that is handed over, as a line of JSON.
  package init(onForm: @escaping @Sendable (String) -> Void) { self.onForm = onForm }

  package func command(_ method: String, params: [UInt8], page: String?) async -> CommandReply {
    switch method {
    case "camera.list": return Self.result(["cameras": []])
    case "form.submit":
      guard let form = try? JSONParser.parse(params), case .object = form else { return .previewed }
      let number = forms.withLock { count in
        count += 1
        return count
      }
      onForm(form.compactText)
      return Self.result(["id": .string("preview-\(number)"), "submitted": "1970-01-01T00:00:00.000Z"])
    case "signature.save": return Self.result(["id": "preview", "hash": ""])
    default: return .previewed
    }
  }

  package func upload(_ picture: [UInt8], page: String?) async -> CommandReply { .previewed }

  package func events(page: String?) -> AsyncStream<[UInt8]> {
    AsyncStream { continuation in
      // It stays as it is, and ends with the page.
      continuation.yield(
        Array(
          #"{"event":"kiosk.connection","online":true,"role":"operator","snapshot":{"camera":{"status":"lost"}}}"#.utf8)
      )
    }
  }

  package func preview(width: Int?, rate: Double?, camera: String?) -> AsyncThrowingStream<PicturePart, any Error> {
    AsyncThrowingStream { $0.finish(throwing: NoPicture()) }
  }

  package func picture(_ request: PictureRequest) async throws -> PicturePart { throw NoPicture() }

  /// There are no pictures while a page is only looked at.
  private struct NoPicture: Error {}

  private static func result(_ result: JSONValue) -> CommandReply {
    let reply: JSONValue = ["result": result]
    return CommandReply(succeeded: true, json: Array(reply.compactText.utf8))
  }
}

extension CommandReply {
  fileprivate static var previewed: CommandReply {
    .failure(
      code: "preview", message: "The page is only looked at: no service runs behind it.",
      hint: "Start waymark kiosk without --preview.")
  }
}
