import WaymarkSystem

/// The desktops that tell which program has the focus.
package enum Desktop: Hashable, Sendable {
  /// sway or i3, at this socket.
  case sway(String)
  /// X11, by `xprop`.
  case x11
  /// Lines of standard input, each the name of a program, or empty where none has the focus.
  case lines

  /// The desktop of a session, by its environment.
  ///
  /// - Throws: `notTold` where it tells nobody, `noDesktop` where there is none.
  package init(environment: [String: String]) throws(FocusError) {
    func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    if let socket = variable("SWAYSOCK") ?? variable("I3SOCK") {
      self = .sway(socket)
    } else if variable("WAYLAND_DISPLAY") == nil, variable("DISPLAY") != nil {
      self = .x11
    } else if variable("WAYLAND_DISPLAY") != nil {
      let name = variable("XDG_CURRENT_DESKTOP") ?? "This Wayland desktop"
      throw FocusError(
        .notTold, "\(name) tells no program which window has the focus.",
        hint: "Use sway, i3 or an X11 session, or write names to `waymark profiles watch --desktop lines`.")
    } else {
      throw FocusError(
        .noDesktop, "There is no desktop here: neither SWAYSOCK nor I3SOCK nor DISPLAY is set.",
        hint: "Run it in the session of the user who sits in front of it.")
    }
  }
}
