import CV4L2
import Glibc
import Synchronization
package import WaymarkFrames
import WaymarkImage
import WaymarkSystem

/// The state that a camera's thread shares with its owner: the identity, the controls, and the open device. The
/// controls (`VideoControl`), their stable names (`ControlNames`) and their access in the driver are below.
final class CameraSharedState: Sendable {
  private struct Values: Sendable {
    /// The values of controls, by name, which are set whenever the camera is opened.
    var wanted: [String: Int] = [:]
    var device: OpenDevice?
  }

  /// An open device. It is removed under the lock before the device is closed; otherwise a control could be set on another file
  /// with the same descriptor.
  private struct OpenDevice: Sendable {
    let descriptor: CInt
    let calls: any VideoSyscalls
    var controls: [VideoControl]
  }

  /// The part of the state that other threads read.
  private struct Shown: Sendable {
    var identity: CameraIdentity?
    var controls: [SourceControl] = []
  }

  /// The lock is held while a control is set, which can take seconds if USB hangs.
  private let values = Mutex(Values())
  /// The lock is never held during a call of the driver, so that readers do not wait.
  private let shown = Mutex(Shown())

  /// The identity of the camera that was opened last. It is kept while the camera is lost, so that the same camera is
  /// opened again.
  var identity: CameraIdentity? { shown.withLock { $0.identity } }

  /// The controls; empty while the camera is closed.
  var controls: [SourceControl] { shown.withLock { $0.controls } }

  /// Sets the values of controls that are set whenever the camera is opened.
  func setWanted(_ wanted: [String: Int]) { values.withLock { $0.wanted = wanted } }

  /// Sets the configured controls after the camera was opened.
  ///
  /// - Returns: an error for each control that is unknown, out of its range, or refused by the driver.
  func opened(_ device: borrowing VideoDevice, identity: CameraIdentity) -> [SourceError] {
    let controls = device.controls()
    let (descriptor, calls) = (device.descriptor, device.calls)
    return values.withLock { values in
      values.device = OpenDevice(descriptor: descriptor, calls: calls, controls: controls)
      shown.withLock { $0 = Shown(identity: identity, controls: controls.map(\.shown)) }
      // Automatic modes are set first, since they disable the manual controls.
      let ordered = values.wanted.sorted {
        (ControlNames.appliesFirst($0.key) ? 0 : 1, $0.key) < (ControlNames.appliesFirst($1.key) ? 0 : 1, $1.key)
      }
      return ordered.compactMap { name, value in
        set(name, to: value, on: &values.device, deviceName: identity.text)
      }
    }
  }

  func closing() {
    values.withLock { values in
      values.device = nil
      shown.withLock { $0.controls = [] }
    }
  }

  /// Sets a control, now if the camera is open, and whenever it is opened later.
  ///
  /// - Throws: `unknownControl`, `controlOutOfRange` or `controlRefused` if the open camera refuses the value; the value is then
  ///   not kept.
  func setControl(_ name: String, to value: Int, device: String) throws(SourceError) {
    let problem = values.withLock { values -> SourceError? in
      guard values.device != nil else {
        values.wanted[name] = value
        return nil
      }
      if let problem = set(name, to: value, on: &values.device, deviceName: device) { return problem }
      values.wanted[name] = value
      return nil
    }
    if let problem { throw problem }
  }

  private func set(
    _ name: String, to value: Int, on device: inout OpenDevice?, deviceName: String
  ) -> SourceError? {
    guard let open = device, let index = open.controls.firstIndex(where: { $0.shown.name == name }) else {
      return .unknownControl(name, device: deviceName)
    }
    let control = open.controls[index]
    if control.shown.kind != .button {
      guard control.shown.minimum <= control.shown.maximum,
        (control.shown.minimum...control.shown.maximum).contains(value)
      else {
        return .controlOutOfRange(
          name, value: value, range: control.shown.minimum...max(control.shown.minimum, control.shown.maximum))
      }
    }
    let result = VideoDevice.set(
      control.id, to: control.driverValue(value), on: open.descriptor, calls: open.calls)
    guard result >= 0 else {
      return .controlRefused(name, value: value, reason: systemMessage(-result))
    }
    device?.controls[index].shown.value = value
    shown.withLock { $0.controls[index].value = value }
    return nil
  }
}

// MARK: - Controls and their names

/// A control of the driver, with its presentation for users.
package struct VideoControl: Sendable, Equatable {
  /// The control's id, V4L2_CID_….
  package var id: UInt32
  /// The control as presented to users.
  package var shown: SourceControl
  /// The driver's values of a control that is presented as a switch; nil for other controls.
  var switchValues: SwitchValues?

  package struct SwitchValues: Sendable, Equatable {
    package var off: Int
    package var on: Int
  }

  /// Returns the driver's value for a value as presented to users.
  func driverValue(_ value: Int) -> Int {
    switchValues.map { value == 0 ? $0.off : $0.on } ?? value
  }
}

/// The stable names of V4L2's controls, independent of the driver's names.
enum ControlNames {
  /// The names, by V4L2_CID_….
  private static let words: [UInt32: String] = [
    wm_cid_brightness: "brightness", wm_cid_contrast: "contrast", wm_cid_saturation: "saturation", wm_cid_hue: "hue",
    wm_cid_white_balance_auto: "whiteBalanceAuto", wm_cid_gamma: "gamma", wm_cid_gain: "gain",
    wm_cid_gain_auto: "gainAuto", wm_cid_power_line_frequency: "powerLineFrequency",
    wm_cid_white_balance_temperature: "whiteBalanceTemperature", wm_cid_sharpness: "sharpness",
    wm_cid_backlight_compensation: "backlightCompensation", wm_cid_exposure: "exposure",
    wm_cid_exposure_auto: "exposureAuto", wm_cid_exposure_absolute: "exposureTime",
    wm_cid_exposure_auto_priority: "exposureDynamicRate", wm_cid_pan_absolute: "pan", wm_cid_tilt_absolute: "tilt",
    wm_cid_zoom_absolute: "zoom", wm_cid_focus_absolute: "focus", wm_cid_focus_auto: "focusAuto",
    wm_cid_flash_led_mode: "torch", wm_cid_flash_torch_intensity: "torchIntensity",
  ]

  /// Returns the name of a control; if it is unknown, the driver's name in camelCase.
  static func name(of id: UInt32, driverName: String) -> String {
    if let word = words[id] { return word }
    let parts = driverName.split { !$0.isLetter && !$0.isNumber }.map { $0.lowercased() }
    guard let first = parts.first else { return "control\(id)" }
    return first + parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  /// Presents the modes of flash and exposure as switches, and returns other controls unchanged.
  static func presented(_ control: VideoControl) -> VideoControl {
    let values: VideoControl.SwitchValues
    switch control.id {
    case wm_cid_flash_led_mode:
      values = .init(off: Int(V4L2_FLASH_LED_MODE_NONE.rawValue), on: Int(V4L2_FLASH_LED_MODE_TORCH.rawValue))
    case wm_cid_exposure_auto:
      // USB cameras without an adjustable aperture call automatic exposure "aperture priority".
      let aperture = Int(V4L2_EXPOSURE_APERTURE_PRIORITY.rawValue)
      let automatic = control.shown.menu[aperture] == nil ? Int(V4L2_EXPOSURE_AUTO.rawValue) : aperture
      values = .init(off: Int(V4L2_EXPOSURE_MANUAL.rawValue), on: automatic)
    default: return control
    }
    var seen = control
    seen.switchValues = values
    seen.shown.kind = .boolean
    seen.shown.minimum = 0
    seen.shown.maximum = 1
    seen.shown.step = 1
    seen.shown.defaultValue = control.shown.defaultValue == values.on ? 1 : 0
    seen.shown.value = control.shown.value == values.on ? 1 : 0
    seen.shown.menu = [:]
    return seen
  }

  /// Returns whether a control is an automatic mode, which is set before the controls that it locks.
  static func appliesFirst(_ name: String) -> Bool { name.hasSuffix("Auto") }
}

// MARK: - Reading and setting by V4L2

extension VideoDevice {
  package func controls() -> [VideoControl] {
    var controls: [VideoControl] = []
    var raw = v4l2_queryctrl()
    raw.id = nextControl
    var last: UInt32 = 0
    // Each call returns the control with the next greater id. Because a driver might repeat ids without end, the loop is bounded,
    // and the ids have to increase.
    for _ in 0..<1024 {
      guard attempt(wm_vidioc_queryctrl, &raw) >= 0, raw.id & nextControl == 0, raw.id > last else { break }
      last = raw.id
      if let control = control(&raw), !controls.contains(where: { $0.shown.name == control.shown.name }) {
        controls.append(control)
      }
      raw.id |= nextControl
    }
    return controls
  }

  private func control(_ raw: inout v4l2_queryctrl) -> VideoControl? {
    guard raw.flags & UInt32(V4L2_CTRL_FLAG_DISABLED) == 0 else { return nil }
    let kind: SourceControl.Kind
    switch raw.type {
    case V4L2_CTRL_TYPE_INTEGER.rawValue: kind = .integer
    case V4L2_CTRL_TYPE_BOOLEAN.rawValue: kind = .boolean
    case V4L2_CTRL_TYPE_MENU.rawValue: kind = .menu
    case V4L2_CTRL_TYPE_BUTTON.rawValue: kind = .button
    // Headings, strings, arrays and bit masks have no value that is a single number.
    default: return nil
    }
    let locked = UInt32(V4L2_CTRL_FLAG_INACTIVE | V4L2_CTRL_FLAG_READ_ONLY | V4L2_CTRL_FLAG_GRABBED)
    var shown = SourceControl(
      name: ControlNames.name(of: raw.id, driverName: text(of: &raw.name)), kind: kind, minimum: Int(raw.minimum),
      maximum: Int(raw.maximum), step: Int(raw.step), defaultValue: Int(raw.default_value), value: 0,
      isActive: raw.flags & locked == 0)
    if kind != .button {
      var value = v4l2_control(id: raw.id, value: 0)
      guard attempt(wm_vidioc_g_ctrl, &value) >= 0 else { return nil }
      shown.value = Int(value.value)
    }
    if kind == .menu {
      // Indices of menu items are unsigned, but a driver may report a negative minimum. At most 65 items are read.
      for index in stride(from: max(0, shown.minimum), through: min(shown.maximum, max(0, shown.minimum) + 64), by: 1) {
        var item = v4l2_querymenu()
        item.id = raw.id
        item.index = UInt32(index)
        // A menu may lack some indices; requests for these fail.
        if attempt(wm_vidioc_querymenu, &item) >= 0 { shown.menu[index] = text(of: &item.name) }
      }
    }
    return ControlNames.presented(VideoControl(id: raw.id, shown: shown))
  }

  /// Sets a control on a descriptor that the caller keeps open; returns a negative errno if the driver refuses.
  package static func set(_ id: UInt32, to value: Int, on descriptor: CInt, calls: any VideoSyscalls) -> CInt {
    var raw = v4l2_control(id: id, value: Int32(clamping: value))
    return withUnsafeMutablePointer(to: &raw) { calls.control(descriptor, wm_vidioc_s_ctrl, $0) }
  }
}

/// V4L2_CTRL_FLAG_NEXT_CTRL, which Swift does not import as an unsigned number.
private let nextControl: UInt32 = 0x8000_0000
