package import WaymarkProtocol
import WaymarkSystem

/// Formats events for people.
package enum EventText {
  /// Returns the state at the beginning of a connection as one line.
  package static func text(of snapshot: Snapshot) -> String {
    var parts = ["scanner \(snapshot.scanner.status.rawValue)", "camera \(snapshot.camera.status.rawValue)"]
    if let device = snapshot.camera.device { parts.append("(\(shown(device)))") }
    if let scene = snapshot.scene { parts.append("scene \(shown(scene.scene))") }
    if let session = snapshot.session { parts.append("session \(session.phase.rawValue)") }
    return parts.joined(separator: " ")
  }

  /// Returns an event as one line: time, name, contents.
  package static func text(of event: Event) -> String {
    let clock = event.time.map { $0.split(separator: "T").last.map(String.init) ?? $0 } ?? ""
    let camera = event.camera.map { "[\(shown($0))] " } ?? ""
    return "\(clock)  \(padded(event.body.name))  \(camera)\(details(of: event.body))"
  }

  private static func padded(_ name: String) -> String {
    name + String(repeating: " ", count: max(0, 20 - name.count))
  }

  /// Escapes untrusted text, which must not control the terminal.
  static func shown(_ text: String, limit: Int = 200) -> String { DisplayText.escaped(text, limit: limit) }

  /// Returns the name of an anchor, with the number of the copy if several are followed.
  private static func anchor(_ name: String, _ copy: Int?) -> String { shown(name) + (copy.map { " \($0)" } ?? "") }

  /// Returns the contents of an event without its time and name.
  static func details(of body: EventBody) -> String {
    switch body {
    case .scanSuccessful(let scan):
      var parts = [scan.kind.map { shown($0) } ?? scan.symbology]
      if let host = scan.connectTo { parts.append("connects to \(shown(host))") }
      parts.append(scan.text.map { "“\(shown($0, limit: 120))”" } ?? "(redacted)")
      return parts.joined(separator: ", ")
    case .scanInvalid(let scan): return [scan.reason.rawValue, scan.kind].compactMap { $0 }.joined(separator: ", ")
    case .scanUnsuccessful(let scan):
      let missing = scan.missing.map { "parts " + $0.map(String.init).joined(separator: ", ") + " are missing" }
      return [scan.reason.rawValue, missing].compactMap { $0 }.joined(separator: ", ")
    case .scanGuide(let guide): return guide.advice.rawValue
    case .scanConfirmed(let scan): return "scan \(scan.scan)"
    case .scanCancelled(let scan): return "scan \(scan.scan), \(scan.reason.rawValue)"
    case .scanEnded(let scan): return "scan \(scan.scan), \(scan.reason.rawValue)"
    case .onboardingEnded(let ended):
      return ["scan \(ended.scan)", ended.outcome.rawValue, ended.reason?.rawValue].compactMap { $0 }
        .joined(separator: ", ")
    case .scannerStatus(let status): return details(of: status)
    case .cameraStatus(let status): return details(of: status)
    case .cameraIntrinsicsFound(let found):
      let spread = "\(rounded(100 * found.deviation)) %"
      return
        "focal length \(rounded(found.intrinsics.fx)) pixels of \(found.width)×\(found.height), give or take \(spread)"
    case .profileStatus(let status):
      return "\(status.profile.map { shown($0) } ?? "none"), \(status.reason.rawValue)"
    case .sessionPhaseEvent(let phase):
      return [phase.phase.rawValue, phase.guide.map { "look for \(shown($0.anchor))" }].compactMap { $0 }
        .joined(separator: ", ")
    case .anchorFound(let found):
      return "\(anchor(found.anchor, found.copy)), score \(rounded(found.score))"
    case .anchorLost(let lost): return anchor(lost.anchor, lost.copy)
    case .anchorsUpdated(let update):
      return update.anchors.map { "\(anchor($0.anchor, $0.copy)) \($0.trackingMethod.rawValue)" }
        .joined(separator: ", ")
    case .codeFound(let found): return "\(found.code) \(found.symbology) \(shown(found.text ?? ""))"
    case .codeLost(let lost): return "\(lost.code)"
    case .codesUpdated(let update):
      return update.codes.map { "\($0.code) \($0.trackingMethod.rawValue)" }.joined(separator: ", ")
    case .countState(let count): return "\(count.total) in all, \(count.codes.count) different"
    case .countEnded(let count): return "\(shown(count.count)), \(count.reason.rawValue)"
    case .markerChanged(let marker):
      let words = [marker.visible ? "visible" : "out of sight", marker.selected ? "selected" : nil]
      return "\(anchor(marker.id, marker.copy)) " + words.compactMap { $0 }.joined(separator: ", ")
    case .annotationSelected(let selected):
      return "\(anchor(selected.id, selected.copy)): \(shown(selected.card.title))"
    case .annotationCleared(let cleared): return cleared.id.map { shown($0) } ?? ""
    case .cardOpened(let card): return anchor(card.id, card.copy)
    case .cardClosed(let card): return shown(card.id)
    case .cardAction(let action):
      return "\(anchor(action.id, action.copy)): \(action.actionType.rawValue) \(shown(action.actionData ?? ""))"
    case .sceneLoaded(let loaded): return "\(shown(loaded.scene.scene)), \(loaded.scene.anchors.count) anchors"
    case .sceneUnloaded(let scene): return shown(scene.scene)
    case .sceneProgress(let progress): return "\(shown(progress.scene)) \(progress.done) of \(progress.total)"
    case .sceneFailed(let failure): return "\(shown(failure.scene)): \(shown(failure.message))"
    // The contents of forms are private.
    case .formSubmitted(let form): return "\(shown(form.form)), \(form.fields?.count ?? 0) fields, \(shown(form.id))"
    case .signatureSaved(let signature): return shown(signature.id)
    case .documentOutline(let outline):
      return [outline.phase.rawValue, outline.advice.map { shown($0.rawValue) }].compactMap { $0 }.joined(
        separator: ", ")
    case .documentCaptured(let captured): return "\(captured.count) pages"
    case .documentChanged(let change): return "\(change.document.count) pages, \(change.document.mode.rawValue)"
    case .documentFailed(let failure): return shown(failure.message.isEmpty ? failure.code.rawValue : failure.message)
    case .documentSaved(let saved):
      return "\(saved.pages) pages" + (saved.paths?.first.map { ", \(shown($0))" } ?? "")
    case .documentEnded(let ended): return "\(ended.reason.rawValue), \(ended.count) pages are kept"
    case .textBegan(let began): return began.text.patterns?.map { shown($0) }.joined(separator: ", ") ?? ""
    // The text may be from an account or a passport: it is not printed.
    case .textCandidates(let seen): return "\(seen.candidates?.count ?? 0) candidates, \(seen.lines) lines"
    case .textAccepted(let accepted):
      return [accepted.pattern.map { shown($0) }, accepted.automatic ? "automatic" : "chosen"].compactMap { $0 }
        .joined(separator: ", ")
    case .textFailed(let failure): return shown(failure.message)
    case .textEnded(let ended): return ended.reason.rawValue
    case .accountState(let state):
      return [state.phase.rawValue, state.working?.rawValue, state.problem?.code.rawValue].compactMap { $0 }
        .joined(separator: ", ")
    case .accountRemoved(let removed): return shown(removed.user)
    case .consentRecorded(let one): return "\(shown(one.record.consent)) \(shown(one.record.version))"
    // The text that a person typed is not printed.
    case .authenticationRequested(let request): return "\(request.kind) \(request.request)"
    case .authenticationWithdrawn(let request): return "\(request.request)"
    case .statistics(let figures):
      return "\(figures.frames.captured) frames, \(figures.clients) clients, \(figures.memory >> 20) MiB"
    case .streamDropped(let gap): return "\(gap.count) events since \(gap.sinceSeq)"
    case .connectionClosed(let closed): return closed.reason.rawValue
    case .serverStopping(let stopping): return shown(stopping.reason)
    case .hello(let hello): return hello.version
    case .unknown(_, let value):
      return (try? JSONLineEncoder.encode(value)).map { shown(String(decoding: $0, as: UTF8.self)) } ?? ""
    }
  }

  private static func details(of status: ScannerStatus) -> String {
    [status.status.rawValue, status.mode?.rawValue, status.message.map { shown($0) }].compactMap { $0 }
      .joined(separator: ", ")
  }

  private static func details(of status: CameraStatus) -> String {
    var parts = [status.status.rawValue, status.device.map { shown($0) }, status.format].compactMap { $0 }
    if let width = status.width, let height = status.height { parts.append("\(width)×\(height)") }
    if let rate = status.rate { parts.append("\(rounded(rate)) fps") }
    if let message = status.message { parts.append(shown(message)) }
    if status.ended == true { parts.append("played to its end") }
    return parts.joined(separator: ", ")
  }

  static func rounded(_ value: Double) -> String {
    let hundredths = (value * 100).rounded() / 100
    return hundredths == hundredths.rounded() ? "\(Int(hundredths))" : "\(hundredths)"
  }
}
