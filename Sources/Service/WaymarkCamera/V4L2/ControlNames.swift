import CV4L2
import WaymarkFrames
import WaymarkImage

/// The stable names of V4L2's controls, independent of the driver's names.
enum ControlNames {
  /// Words by control id.
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

  /// The word for a control; the driver's own name in camelCase when there is none.
  static func name(of id: UInt32, driverName: String) -> String {
    if let word = words[id] { return word }
    let parts = driverName.split { !$0.isLetter && !$0.isNumber }.map { $0.lowercased() }
    guard let first = parts.first else { return "control\(id)" }
    return first + parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  /// The flash's mode and the exposure's become plain switches; everything else stays.
  static func presented(_ control: VideoControl) -> VideoControl {
    let values: VideoControl.SwitchValues
    switch control.id {
    case wm_cid_flash_led_mode:
      values = .init(off: Int(V4L2_FLASH_LED_MODE_NONE.rawValue), on: Int(V4L2_FLASH_LED_MODE_TORCH.rawValue))
    case wm_cid_exposure_auto:
      // USB cameras call automatic exposure "aperture priority", having no aperture.
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

  /// Automatic modes are set before what they lock.
  static func appliesFirst(_ name: String) -> Bool { name.hasSuffix("Auto") }
}
