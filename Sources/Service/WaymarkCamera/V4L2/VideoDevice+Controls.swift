import CV4L2
import WaymarkFrames

extension VideoDevice {
  /// Everything that can be adjusted.
  package func controls() -> [VideoControl] {
    var controls: [VideoControl] = []
    var raw = v4l2_queryctrl()
    raw.id = nextControl
    var last: UInt32 = 0
    // The driver walks on from the id it gave last; one that does not, or has no end, is not asked for ever.
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
    // Headings, strings, arrays, bit masks: nothing that a number sets.
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
      // Entries count from 0; a driver that says otherwise has none below.
      for index in stride(from: max(0, shown.minimum), through: min(shown.maximum, max(0, shown.minimum) + 64), by: 1) {
        var item = v4l2_querymenu()
        item.id = raw.id
        item.index = UInt32(index)
        // Menus have gaps.
        if attempt(wm_vidioc_querymenu, &item) >= 0 { shown.menu[index] = text(of: &item.name) }
      }
    }
    return ControlNames.presented(VideoControl(id: raw.id, shown: shown))
  }

  /// Sets a control on a descriptor that the caller knows to be open; a negative errno when the driver refuses.
  package static func set(_ id: UInt32, to value: Int, on descriptor: CInt, calls: any VideoSyscalls) -> CInt {
    var raw = v4l2_control(id: id, value: Int32(clamping: value))
    return withUnsafeMutablePointer(to: &raw) { calls.control(descriptor, wm_vidioc_s_ctrl, $0) }
  }
}

/// V4L2_CTRL_FLAG_NEXT_CTRL is 0x80000000 and does not import as an unsigned number.
private let nextControl: UInt32 = 0x8000_0000
