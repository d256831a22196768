import Foundation
package import WaymarkCamera
import WaymarkFrames

/// A camera with what it offers, as a person reads it.
package enum CameraText {
  /// Lines about a camera.
  package static func text(_ camera: AttachedCamera) -> String {
    var lines = ["\(camera.name)", "  identity  \(camera.identity)", "  node      \(camera.path)"]
    if let problem = camera.problem {
      lines.append("  problem   \(problem.message)")
      lines.append("            \(problem.hint)")
      return lines.joined(separator: "\n") + "\n"
    }
    lines.append("  driver    \(camera.driver), \(camera.bus)")
    // Formats that libv4l2 could make but nobody here would read are of no interest to a person.
    for (index, format) in camera.formats.filter({ $0.usable || !$0.emulated }).enumerated() {
      let note = format.usable ? (format.emulated ? " (converted)" : "") : " (not read)"
      let sizes = format.sizes.map(Self.text).joined(separator: ", ")
      lines.append(
        "  \(index == 0 ? "formats   " : "          ")\(format.format)\(note): \(sizes.isEmpty ? "any size" : sizes)")
    }
    for (index, control) in camera.controls.enumerated() {
      lines.append("  \(index == 0 ? "controls  " : "          ")\(Self.text(control))")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func text(_ size: AttachedCamera.Size) -> String {
    let range = size.minimumWidth.map { "\($0)x\(size.minimumHeight ?? 0) to " } ?? ""
    let rates = size.rates.map { $0 == $0.rounded() ? String(Int($0)) : String(format: "%.1f", $0) }
    return "\(range)\(size.width)x\(size.height)" + (rates.isEmpty ? "" : "@\(rates.joined(separator: "/"))")
  }

  private static func text(_ control: SourceControl) -> String {
    let value = control.menu[control.value].map { "\(control.value) (\($0))" } ?? "\(control.value)"
    let locked = control.isActive ? "" : ", locked"
    switch control.kind {
    case .button: return "\(control.name): button"
    case .boolean: return "\(control.name): \(control.value == 0 ? "off" : "on")\(locked)"
    case .menu:
      let entries = control.menu.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
      return "\(control.name): \(value) of \(entries)\(locked)"
    case .integer:
      return "\(control.name): \(value), \(control.minimum) to \(control.maximum) by \(control.step)\(locked)"
    }
  }
}
