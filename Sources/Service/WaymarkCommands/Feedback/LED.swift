import Foundation
import Glibc
import WaymarkSystem

/// A LED of `/sys/class/leds`. What it showed before, its trigger included, it shows again afterwards.
package struct LED: Sendable {
  private let folder: String

  /// - Parameters:
  ///   - name: its folder's name.
  ///   - root: where LEDs are.
  package init(name: String, root: String = "/sys/class/leds") throws(FeedbackError) {
    guard !name.isEmpty, !name.contains("/"), name != ".." else {
      throw FeedbackError(.noLED, "\"\(name)\" is not the name of an LED.", hint: "Name one of \(root).")
    }
    folder = root + "/" + name
    guard number("max_brightness") != nil else {
      throw FeedbackError(
        .noLED, "There is no LED \(name).", hint: "Name one of \(root); `ls \(root)` lists them.")
    }
  }

  /// Blinks in the rhythm of a cue.
  ///
  /// - Parameter wait: passes the time.
  func blink(_ cue: Cue, wait: (Double) -> Void) throws(FeedbackError) {
    let full = number("max_brightness") ?? 1
    let before = number("brightness") ?? 0
    let trigger = self.trigger
    if trigger != nil { try write("none", "trigger") }
    for (index, length) in cue.beats.enumerated() {
      try write(String(index.isMultiple(of: 2) ? full : 0), "brightness")
      wait(length)
    }
    try write(String(before), "brightness")
    if let trigger { try write(trigger, "trigger") }
  }

  /// The trigger that drives it, such as `mmc0`; nil where none does.
  private var trigger: String? {
    guard let text = read("trigger"), let start = text.firstIndex(of: "["), let end = text.firstIndex(of: "]"),
      start < end
    else { return nil }
    let word = String(text[text.index(after: start)..<end])
    return word == "none" ? nil : word
  }

  private func number(_ name: String) -> Int? {
    read(name).flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
  }

  private func read(_ name: String) -> String? {
    (try? WholeFile.read("\(folder)/\(name)", limit: 1 << 16)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Written into the file that is there: sysfs knows no other way.
  private func write(_ text: String, _ name: String) throws(FeedbackError) {
    let descriptor = open("\(folder)/\(name)", O_WRONLY | O_CLOEXEC | O_TRUNC)
    let bytes = Array(text.utf8)
    let count = descriptor < 0 ? -1 : Glibc.write(descriptor, bytes, bytes.count)
    let code = errno
    if descriptor >= 0 { close(descriptor) }
    guard count == bytes.count else {
      throw FeedbackError(
        .ledRefused, "\(folder)/\(name) cannot be written: \(String(cString: strerror(code))).",
        hint: "Let the group waymark-feedback write it, as the package's udev rule does.")
    }
  }
}
