import CV4L2
import WaymarkImage

/// The stable words for V4L2's controls, whatever a driver calls them.
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

  /// What users see: the flash's mode becomes a plain switch, everything else stays.
  static func shown(_ control: SourceControl, id: UInt32) -> SourceControl {
    guard id == wm_cid_flash_led_mode else { return control }
    var torch = control
    torch.kind = .boolean
    torch.minimum = 0
    torch.maximum = 1
    torch.step = 1
    torch.defaultValue = 0
    torch.value = control.value == torchMode ? 1 : 0
    torch.menu = [:]
    return torch
  }

  /// The driver's value for what a user set.
  static func driverValue(_ value: Int, id: UInt32) -> Int {
    guard id == wm_cid_flash_led_mode else { return value }
    return value == 0 ? 0 : torchMode
  }

  /// V4L2_FLASH_LED_MODE_TORCH.
  private static let torchMode = Int(V4L2_FLASH_LED_MODE_TORCH.rawValue)

  /// Automatic modes are set before what they lock.
  static func comesFirst(_ name: String) -> Bool { name.hasSuffix("Auto") }
}
