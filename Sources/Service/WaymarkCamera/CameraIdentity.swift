/// The stable identity of a camera, independent of the number of its node: its serial number, or the port to which it is attached if
/// it has none.
package struct CameraIdentity: Sendable, Hashable {
  /// The text of the identity, such as `usb:1d6b:0102:SN4711` or `path:pci-0000:00:14.0-usb-2`. Further lenses of a camera have a
  /// suffix such as `#1`, and further cameras of a device one such as `#0.1`.
  package var text: String

  package init(text: String) {
    self.text = text
  }

  /// Creates the identity of a device in sysfs; nil if it cannot be determined.
  ///
  /// - Parameters:
  ///   - devicePath: the real path of the device, such as `/sys/devices/pci0000:00/0000:00:14.0/usb1/1-2/1-2:1.0`.
  ///   - index: the index of the node among those of its camera.
  ///   - rank: the number of earlier nodes of the device with the same index, since a device that is not on USB may have several
  ///     cameras.
  ///   - attribute: reads an attribute of the interface's USB device; returns nil if it is missing.
  package init?(devicePath: String, index: Int, rank: Int = 0, attribute: (String) -> String?) {
    let parts = devicePath.split(separator: "/").map(String.init)
    guard let last = parts.last else { return nil }
    // Lenses of a UVC camera are distinguished by the USB interface: the indices of nodes differ between kernels, since some have
    // nodes for metadata.
    let lens = last.split(separator: ":").last.flatMap { $0.split(separator: ".").last }.flatMap { Int($0) } ?? 0
    let suffix = lens > 0 ? "#\(lens)" : ""
    if let vendor = attribute("idVendor"), let product = attribute("idProduct") {
      if let serial = attribute("serial"), Self.isTrustworthy(serial) {
        text = "usb:\(vendor):\(product):\(serial)\(suffix)"
        return
      }
      // "1-2.3" is bus 1, whose number may change at every boot, and ports 2 and 3, which do not change.
      let ports = parts.dropLast().last?.split(separator: "-").last.map(String.init) ?? last
      let controller = parts.last { $0.contains(":") && $0.contains(".") && $0 != last } ?? "usb"
      text = "path:\(controller)-usb-\(ports)\(suffix)"
      return
    }
    text = "path:\(last)" + (rank > 0 ? "#\(index).\(rank)" : index > 0 ? "#\(index)" : "")
  }

  /// Creates the identity from the driver's information, for a camera without a device in sysfs.
  package init(bus: String, card: String) {
    text = "path:\(bus.isEmpty ? card : bus)"
  }

  /// Returns false for serial numbers that manufacturers use for all their cameras.
  private static func isTrustworthy(_ serial: String) -> Bool {
    !serial.allSatisfy { $0 == "0" }
      && !["SN0001", "0123456789", "123456789", "1234567890", "200901010001"].contains(serial)
  }
}
