import Glibc
import Synchronization
import WaymarkFrames
import WaymarkSystem

/// The state that a camera's thread and its owner share: identity, controls, and the open device to set them on.
final class CameraSharedState: Sendable {
  private struct Values: Sendable {
    /// Values to set whenever the camera is opened.
    var wanted: [String: Int] = [:]
    var device: OpenDevice?
  }

  /// A device as long as it is open: taken away before it is closed, under the lock, so that no control is ever set on
  /// another file that got the same number.
  private struct OpenDevice: Sendable {
    let descriptor: CInt
    let calls: any VideoSyscalls
    var controls: [VideoControl]
  }

  /// The part that others look at.
  private struct Shown: Sendable {
    var identity: CameraIdentity?
    var controls: [SourceControl] = []
  }

  /// Held while a control is set, which can take seconds where USB hangs.
  private let values = Mutex(Values())
  /// Never held across a call to the driver: who looks must not wait for it.
  private let shown = Mutex(Shown())

  /// Which camera was found; stays when it is lost, for that is the one that is meant from then on.
  var identity: CameraIdentity? { shown.withLock { $0.identity } }

  /// The controls; empty while the camera is closed.
  var controls: [SourceControl] { shown.withLock { $0.controls } }

  /// Values to set whenever the camera is opened.
  func setWanted(_ wanted: [String: Int]) { values.withLock { $0.wanted = wanted } }

  /// The camera has been opened: sets what is wanted of its controls.
  ///
  /// - Returns: what the camera refused.
  func opened(_ device: borrowing VideoDevice, identity: CameraIdentity) -> [SourceError] {
    let controls = device.controls()
    let (descriptor, calls) = (device.descriptor, device.calls)
    return values.withLock { values in
      values.device = OpenDevice(descriptor: descriptor, calls: calls, controls: controls)
      shown.withLock { $0 = Shown(identity: identity, controls: controls.map(\.shown)) }
      // Automatic modes first: they lock their manual twins.
      let ordered = values.wanted.sorted {
        (ControlNames.appliesFirst($0.key) ? 0 : 1, $0.key) < (ControlNames.appliesFirst($1.key) ? 0 : 1, $1.key)
      }
      return ordered.compactMap { name, value in
        set(name, to: value, on: &values.device, deviceName: identity.text)
      }
    }
  }

  /// The camera is about to be closed.
  func closing() {
    values.withLock { values in
      values.device = nil
      shown.withLock { $0.controls = [] }
    }
  }

  /// Sets a control now, or when the camera is opened the next time.
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
      return .controlRefused(name, value: value, reason: String(cString: strerror(-result)))
    }
    device?.controls[index].shown.value = value
    shown.withLock { $0.controls[index].value = value }
    return nil
  }
}
