import FoundationEssentials
package import WaymarkFrames
import WaymarkSystem

/// Lists the attached cameras, and opens the camera that a `CameraSelector` selects. `AttachedCamera` below describes a camera to
/// users.
package struct CameraFinder: Sendable {
  private let nodes: VideoNodes
  private let calls: any VideoSyscalls

  package init(nodes: VideoNodes = VideoNodes(), calls: any VideoSyscalls = LibV4L2()) {
    self.nodes = nodes
    self.calls = calls
  }

  /// Lists all attached cameras, without nodes for metadata and output. A camera that cannot be opened is listed with
  /// its problem.
  package func all() -> [AttachedCamera] {
    nodes.list().compactMap(describe)
  }

  /// Describes the camera of a node; nil if the node belongs to another device or has been removed.
  private func describe(_ node: VideoNode) -> AttachedCamera? {
    do throws(CameraFault) {
      var device = try VideoDevice(path: node.path, calls: calls)
      let capability = try device.capability()
      guard capability.isCamera else { return nil }
      // Only the offered formats are read, so libv4l2 decodes no pictures here.
      device = try readable(device, path: node.path, vendorFormats: true)
      let identity = node.identity ?? CameraIdentity(bus: capability.bus, card: capability.card)
      return AttachedCamera(
        identity: identity.text, name: capability.card, path: node.path, driver: capability.driver,
        bus: capability.bus, formats: device.offers().map(AttachedCamera.Format.init),
        controls: device.controls().map(\.shown), problem: nil)
    } catch {
      // The node is not a camera, or was removed meanwhile.
      if case .broken = error { return nil }
      if error == .gone || error == .absent { return nil }
      let problem = error.error(device: node.path)
      return AttachedCamera(
        identity: node.identity?.text ?? node.path, name: node.path, path: node.path, driver: "", bus: "", formats: [],
        controls: [],
        problem: .init(code: problem.code.rawValue, message: problem.message, hint: problem.hint))
    }
  }

  package struct Found: ~Copyable {
    package let device: VideoDevice
    package let identity: CameraIdentity
  }

  /// Opens the selected camera: the first that `use` accepts.
  ///
  /// - Parameters:
  ///   - pinned: the identity of the camera that was last in use; this camera is opened again even if its node has changed. Nil if no
  ///   camera was in use.
  ///   - mayReplace: true to open any selected camera if the pinned camera is missing.
  ///   - vendorFormats: true if libv4l2 may decode vendor-specific compressed formats in this process.
  ///   - use: receives an open camera; if it throws, the next camera is tried.
  /// - Returns: the result of `use`.
  /// - Throws: the first fault other than `absent` and `gone`, or else `absent` or `gone`.
  package func open<Use: ~Copyable>(
    _ selector: CameraSelector, pinned: CameraIdentity?, mayReplace: Bool, vendorFormats: Bool = true,
    use: (consuming Found) throws(CameraFault) -> Use
  ) throws(CameraFault) -> Use {
    var all = nodes.list()
    // A selected path may be outside of the folder that `nodes` lists.
    if case .path(let path) = selector, let named = nodes.node(at: path), !all.contains(named) { all.append(named) }
    if let pinned {
      // Nodes with another known identity need not be opened.
      let candidates = all.filter { $0.identity == nil || $0.identity == pinned }
      do throws(CameraFault) {
        return try openFirst(candidates, vendorFormats, use) { identity, _ in identity == pinned }
      } catch {
        guard mayReplace, error == .absent || error == .gone else { throw error }
      }
    }
    switch selector {
    case .any: return try openFirst(all, vendorFormats, use) { _, _ in true }
    case .path(let path):
      guard let node = nodes.node(at: path) else { throw .absent }
      return try openFirst([node], vendorFormats, use) { _, _ in true }
    case .named(let text):
      return try openFirst(all, vendorFormats, use) { identity, name in
        identity.text == text || name.lowercased().contains(text.lowercased())
      }
    }
  }

  /// Opens the first node that is a selected camera and that `use` accepts; otherwise throws the first fault other than a missing
  /// camera.
  private func openFirst<Use: ~Copyable>(
    _ candidates: [VideoNode], _ vendorFormats: Bool, _ use: (consuming Found) throws(CameraFault) -> Use,
    _ isMeant: (CameraIdentity, _ name: String) -> Bool
  ) throws(CameraFault) -> Use {
    var reason = CameraFault.absent
    for node in candidates {
      do throws(CameraFault) {
        let device = try VideoDevice(path: node.path, calls: calls)
        let capability = try device.capability()
        guard capability.isCamera else { continue }
        let identity = node.identity ?? CameraIdentity(bus: capability.bus, card: capability.card)
        guard isMeant(identity, capability.card) else { continue }
        let readable = try readable(device, path: node.path, vendorFormats: vendorFormats)
        return try use(Found(device: readable, identity: identity))
      } catch {
        // A fault other than a missing camera is more useful for the user.
        if reason == .absent || reason == .gone { reason = error }
      }
    }
    throw reason
  }

  /// Returns the device if it offers a readable format; otherwise opens it again with the conversions of libv4l2.
  private func readable(
    _ device: consuming VideoDevice, path: String, vendorFormats: Bool
  ) throws(CameraFault) -> VideoDevice {
    let offers = device.offers()
    if offers.contains(where: { $0.format != nil }) { return device }
    // libv4l2 chooses which format of the camera it converts, so conversion is refused if any format of the camera is compressed.
    if !vendorFormats, let packed = offers.first(where: { !UncompressedFormats.codes.contains($0.fourCC) }) {
      let name = PixelFormat.text(ofFourCC: packed.fourCC)
      throw .locked("its pictures (\(name)) would be decoded by libv4l2 inside the service")
    }
    return try VideoDevice(path: path, converting: true, calls: calls)
  }
}

// MARK: - Descriptions of attached cameras

/// The description of an attached camera, for `waymark cameras` and `camera.list`.
package struct AttachedCamera: Sendable, Equatable, Codable {
  /// The stable identity: a serial number or a bus path.
  package var identity: String
  package var name: String
  /// The path of the node, which may change when the camera is plugged in again.
  package var path: String
  /// The name of the driver in the kernel.
  package var driver: String
  /// The bus and port of the camera, in the driver's notation, such as `usb-0000:00:14.0-2`.
  package var bus: String
  package var formats: [Format]
  /// The controls that can be adjusted.
  package var controls: [SourceControl]
  /// The reason why the camera cannot be opened; nil if it can.
  package var problem: Fault?

  package struct Format: Sendable, Equatable, Codable {
    /// The V4L2 pixel format (FourCC), such as `MJPG` or `YUYV`.
    package var format: String
    /// The driver's description.
    package var description: String
    /// True if frames in this format can be read.
    package var usable: Bool
    /// True if libv4l2 produces this format by converting another.
    package var emulated: Bool
    package var sizes: [Size]
  }

  /// A size, or a range of sizes, in pixels.
  package struct Size: Sendable, Equatable, Codable {
    /// The width in pixels; for a range, the largest width.
    package var width: Int
    /// The height in pixels; for a range, the largest height.
    package var height: Int
    /// The smallest width of a range; nil for a single size.
    package var minimumWidth: Int?
    /// The smallest height of a range; nil for a single size.
    package var minimumHeight: Int?
    package var rates: [Double]
  }

  package struct Fault: Sendable, Equatable, Codable {
    /// A stable camelCase code, such as `cameraBusy`.
    package var code: String
    /// The message, which names the device.
    package var message: String
    package var hint: String
  }
}

extension AttachedCamera.Format {
  init(_ offer: VideoFormat) {
    self.init(
      format: PixelFormat.text(ofFourCC: offer.fourCC), description: offer.name, usable: offer.format != nil,
      emulated: offer.isEmulated, sizes: offer.sizes.map(AttachedCamera.Size.init))
  }
}

extension AttachedCamera.Size {
  init(_ size: VideoFormat.FrameSize) {
    let isRange = size.width.count > 1 || size.height.count > 1
    self.init(
      width: size.width.upperBound, height: size.height.upperBound,
      minimumWidth: isRange ? size.width.lowerBound : nil, minimumHeight: isRange ? size.height.lowerBound : nil,
      rates: size.rates)
  }
}

extension AttachedCamera {
  /// The description for people, as lines that each end with a line feed.
  package var text: String {
    var lines = ["\(name)", "  identity  \(identity)", "  node      \(path)"]
    if let problem {
      lines.append("  problem   \(problem.message)")
      lines.append("            \(problem.hint)")
      return lines.joined(separator: "\n") + "\n"
    }
    lines.append("  driver    \(driver), \(bus)")
    // Formats that exist only by conversion and cannot be read are omitted.
    for (index, format) in formats.filter({ $0.usable || !$0.emulated }).enumerated() {
      let note = format.usable ? (format.emulated ? " (converted)" : "") : " (not read)"
      let sizes = format.sizes.map(Self.text).joined(separator: ", ")
      lines.append(
        "  \(index == 0 ? "formats   " : "          ")\(format.format)\(note): \(sizes.isEmpty ? "any size" : sizes)")
    }
    for (index, control) in controls.enumerated() {
      lines.append("  \(index == 0 ? "controls  " : "          ")\(Self.text(control))")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func text(_ size: Size) -> String {
    let range = size.minimumWidth.map { "\($0)x\(size.minimumHeight ?? 0) to " } ?? ""
    let rates = size.rates.map { $0 == $0.rounded() ? String(Int($0)) : String(($0 * 10).rounded() / 10) }
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
