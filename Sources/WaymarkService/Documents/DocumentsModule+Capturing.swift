import Foundation
import WaymarkDocuments
import WaymarkPipeline
import WaymarkProtocol
import WaymarkServer

extension DocumentsModule {
  func fail(_ session: String, _ code: String, _ message: String, hint: String) {
    hub.publish(DocumentFailed(session: session, code: code, message: message, hint: hint))
  }

  /// Writes a captured page down and tells it.
  func keep(_ shot: PageShot) async {
    guard let ledger else { return }
    let session = ledger.session
    guard ledger.kept.count < settings.pageLimit || retake != nil else {
      return fail(
        session, "tooManyPages", "The document has \(settings.pageLimit) pages already.",
        hint: "Save them, then begin another document.")
    }
    guard ledger.bytes + shot.picture.count <= settings.byteLimit else {
      return fail(
        session, "noSpace", "The pages take \(settings.byteLimit >> 20) MiB already.",
        hint: "Save them, then begin another document.")
    }
    do {
      var page: DocumentManifest.Page?
      let number = ledger.nextNumber
      let replaced = retake
      try await change(adding: (number, shot.picture), tells: false) { ledger in
        var new = DocumentManifest.Page(
          number: ledger.takeNumber(), width: shot.width, height: shot.height, outline: shot.outline, bends: shot.bends,
          filter: ledger.filter, captured: Int(hub.wall()),
          bytes: shot.picture.count)
        if let replaced, let index = ledger.pages.firstIndex(where: { $0.number == replaced && $0.removed == nil }) {
          new.filter = ledger.pages[index].filter
          ledger.pages[index].removed = ledger.changed
          ledger.pages.insert(new, at: index)
        } else {
          ledger.pages.append(new)
        }
        page = new
      }
      if retake == replaced { retake = nil }
      hub.publish(
        DocumentCaptured(
          session: session, page: page.map(DocumentPage.init), count: self.ledger?.kept.count ?? 0,
          automatic: shot.isAutomatic, replaced: replaced == nil ? nil : true))
      publishChange()
    } catch {
      let told = error as? ServiceError
      fail(
        session, told?.code == .noSpace ? "noSpace" : "notWritten", told?.message ?? "The page could not be stored.",
        hint: told?.hint ?? "See the service's log.")
      // It was not kept, so that it is not a page that was captured.
      allowAgain()
    }
  }
}
