import Testing
import WaymarkSystem

@testable import WaymarkFocus

/// The messages of sway's socket, as sway-ipc(7) describes them.
@Suite struct SwayFocusTests {
  /// A message as the socket sends it.
  private func message(_ type: UInt32, _ payload: String) -> [UInt8] {
    var bytes = Array("i3-ipc".utf8)
    for number in [UInt32(payload.utf8.count), type] {
      bytes += (0..<4).map { UInt8(truncatingIfNeeded: number.littleEndian >> (8 * UInt32($0))) }
    }
    return bytes + payload.utf8
  }

  private let window = UInt32(0x8000_0003)

  @Test func theConnectionAsksForEventsAndTheTree() {
    #expect(SwayFocus.hello == message(2, #"["window","workspace"]"#) + message(4, ""))
  }

  @Test func theTreeTellsTheFocusedWindow() throws {
    var focus = SwayFocus()
    let tree = """
      {"type":"root","focused":false,"nodes":[{"type":"output","focused":false,"nodes":[
        {"type":"workspace","focused":false,"nodes":[{"app_id":"foot","focused":false,"nodes":[],"floating_nodes":[]}],
         "floating_nodes":[{"app_id":"org.gnome.Calculator","focused":true,"nodes":[],"floating_nodes":[]}]}]}]}
      """
    #expect(try focus.receive(message(4, tree)) == [.focused("org.gnome.Calculator")])
    // An empty workspace has the focus itself.
    #expect(
      try focus.receive(message(4, #"{"focused":false,"nodes":[{"type":"workspace","focused":true}]}"#))
        == [.focused(nil)])
  }

  @Test func eventsTellTheNextOne() throws {
    var focus = SwayFocus()
    let wayland = #"{"change":"focus","container":{"app_id":"firefox","focused":true}}"#
    let x11 = #"{"change":"focus","container":{"app_id":null,"window_properties":{"class":"Gimp"}}}"#
    #expect(try focus.receive(message(window, wayland)) == [.focused("firefox")])
    #expect(try focus.receive(message(window, x11)) == [.focused("Gimp")])
    #expect(try focus.receive(message(window, #"{"change":"title","container":{"app_id":"x"}}"#)) == [])
    #expect(try focus.receive(message(window, #"{"change":"close","container":{}}"#)) == [.ask(message(4, ""))])
    #expect(try focus.receive(message(0x8000_0000, #"{"change":"focus"}"#)) == [.ask(message(4, ""))])
    #expect(try focus.receive(message(2, #"{"success":true}"#)) == [])
  }

  @Test func messagesMayComeInAnyPieces() throws {
    let bytes =
      message(window, #"{"change":"focus","container":{"app_id":"one"}}"#)
      + message(window, #"{"change":"focus","container":{"app_id":"two"}}"#)
    for size in [1, 7, 14, 15, bytes.count] {
      var focus = SwayFocus()
      var told: [SwayFocus.Outcome] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        told += try focus.receive(bytes[start..<min(start + size, bytes.count)])
      }
      #expect(told == [.focused("one"), .focused("two")])
    }
  }

  @Test func anotherProtocolIsRefused() {
    var focus = SwayFocus()
    #expect(throws: FocusError.self) { try focus.receive(Array("HTTP/1.1 400 Bad\r\n".utf8)) }
    var long = SwayFocus()
    #expect(throws: FocusError.self) { try long.receive(Array("i3-ipc".utf8) + [255, 255, 255, 255, 4, 0, 0, 0]) }
  }
}

/// Output of xprop(1).
@Suite struct XFocusTests {
  @Test func theActiveWindowIsRead() {
    #expect(XFocus.window(in: "_NET_ACTIVE_WINDOW(WINDOW): window id # 0x1e00007") == "0x1e00007")
    #expect(XFocus.window(in: "_NET_ACTIVE_WINDOW(WINDOW): window id # 0x1e00007, 0x0") == "0x1e00007")
    #expect(XFocus.window(in: "_NET_ACTIVE_WINDOW(WINDOW): window id # 0x0") == nil)
    #expect(XFocus.window(in: "_NET_ACTIVE_WINDOW:  not found.") == nil)
    #expect(XFocus.window(in: "WM_NAME(STRING) = \"# 0x1\"") == nil)
  }

  @Test func theClassIsTheLastName() {
    #expect(XFocus.program(in: "WM_CLASS(STRING) = \"Navigator\", \"firefox\"\n") == "firefox")
    #expect(XFocus.program(in: "WM_CLASS(STRING) = \"xterm\"\n") == "xterm")
    #expect(XFocus.program(in: "WM_CLASS(STRING) = \"\", \"\"\n") == nil)
    #expect(XFocus.program(in: "WM_CLASS:  not found.\n") == nil)
  }
}

/// Which desktop a session has.
@Suite struct DesktopTests {
  @Test func theEnvironmentTells() throws {
    #expect(try Desktop(environment: ["SWAYSOCK": "/run/sway", "WAYLAND_DISPLAY": "wayland-1"]) == .sway("/run/sway"))
    #expect(try Desktop(environment: ["I3SOCK": "/run/i3", "DISPLAY": ":0"]) == .sway("/run/i3"))
    #expect(try Desktop(environment: ["DISPLAY": ":0", "WAYLAND_DISPLAY": ""]) == .x11)
  }

  @Test func aDesktopThatTellsNobodyIsNamed() {
    // X11 programs under Wayland alone would be seen through DISPLAY: half of the truth is none.
    let error = #expect(throws: FocusError.self) {
      try Desktop(environment: ["DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0", "XDG_CURRENT_DESKTOP": "GNOME"])
    }
    #expect(error?.code == .notTold && error?.message.contains("GNOME") == true)
    #expect(throws: FocusError.self) { try Desktop(environment: [:]) }
  }
}
