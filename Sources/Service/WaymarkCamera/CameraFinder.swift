import WaymarkFrames
import WaymarkSystem

/// Finds cameras among the video nodes.
package struct CameraFinder: Sendable {
  private let nodes: VideoNodes
  private let calls: any VideoSyscalls

  /// A finder over the system's nodes.
  package init(nodes: VideoNodes = VideoNodes(), calls: any VideoSyscalls = LibV4L2()) {
    self.nodes = nodes
    self.calls = calls
  }

  /// Every camera that is plugged in. Nodes for metadata and output are left out; what may not be opened is listed with
  /// the reason.
  package func all() -> [AttachedCamera] {
    nodes.list().compactMap(describe)
  }

  /// A node as a camera; nil when it is none.
  private func describe(_ node: VideoNode) -> AttachedCamera? {
    do throws(CameraFault) {
      var device = try VideoDevice(path: node.path, calls: calls)
      let capability = try device.capability()
      guard capability.isCamera else { return nil }
      // Only asked what there is: nothing is decoded here.
      device = try readable(device, path: node.path, vendorFormats: true)
      let identity = node.identity ?? CameraIdentity(bus: capability.bus, card: capability.card)
      return AttachedCamera(
        identity: identity.text, name: capability.card, path: node.path, driver: capability.driver,
        bus: capability.bus, formats: device.offers().map(AttachedCamera.Format.init),
        controls: device.controls().map(\.shown), problem: nil)
    } catch {
      // Not a video node at all, or gone meanwhile.
      if case .broken = error { return nil }
      if error == .gone || error == .absent { return nil }
      let problem = error.error(device: node.path)
      return AttachedCamera(
        identity: node.identity?.text ?? node.path, name: node.path, path: node.path, driver: "", bus: "", formats: [],
        controls: [],
        problem: .init(code: problem.code.rawValue, message: problem.message, hint: problem.hint))
    }
  }

  /// An opened camera.
  package struct Found: ~Copyable {
    package let device: VideoDevice
    package let identity: CameraIdentity
    package let name: String
  }

  /// Opens the camera that is meant: the first of those meant that `use` can make something of.
  ///
  /// - Parameters:
  ///   - selector: which one is meant.
  ///   - pinned: the camera that was in use before: it is meant, wherever its node is now.
  ///   - mayReplace: whether any other camera will do when the pinned one is away.
  ///   - vendorFormats: whether libv4l2 may decode what a camera compresses in a way of its own.
  ///   - use: what is done with an open one; what it throws, such as that another program streams from it, lets the next
  ///     one have its turn.
  /// - Returns: what `use` made of it.
  package func open<Use: ~Copyable>(
    _ selector: CameraSelector, pinned: CameraIdentity?, mayReplace: Bool, vendorFormats: Bool = true,
    use: (consuming Found) throws(CameraFault) -> Use
  ) throws(CameraFault) -> Use {
    var all = nodes.list()
    // A node may be named that lies elsewhere.
    if case .path(let path) = selector, let named = nodes.node(at: path), !all.contains(named) { all.append(named) }
    if let pinned {
      // A camera of another identity need not be opened to know that it is not meant.
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

  /// The first of some nodes that is a camera, is meant and can be used; else throws what was in the way.
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
        return try use(Found(device: readable, identity: identity, name: capability.card))
      } catch {
        // The first thing that is more than absence is what the user can do something about.
        if reason == .absent || reason == .gone { reason = error }
      }
    }
    throw reason
  }

  /// The same device, opened so that it offers something that can be read: as it is, where the camera itself does.
  private func readable(
    _ device: consuming VideoDevice, path: String, vendorFormats: Bool
  ) throws(CameraFault) -> VideoDevice {
    let offers = device.offers()
    if offers.contains(where: { $0.format != nil }) { return device }
    // libv4l2 chooses by itself which of the camera's formats it converts, so that one it would have to decode is one too many.
    if !vendorFormats, let packed = offers.first(where: { !UncompressedFormats.codes.contains($0.fourCC) }) {
      let name = PixelFormat.text(ofFourCC: packed.fourCC)
      throw .locked("its pictures (\(name)) would be decoded by libv4l2 inside the service")
    }
    return try VideoDevice(path: path, converting: true, calls: calls)
  }
}
