/// The stable identity of a camera, independent of the number of its node: the serial number where the maker
/// gave one, else where it is plugged in.
package struct CameraIdentity: Sendable, Hashable {
  /// The words of the identity, `usb:1d6b:0102:SN4711` or `path:pci-0000:00:14.0-usb-2`; with `#1` and so on for a camera that has
  /// several lenses, and `#0.1` and so on for a further camera of one device.
  package var text: String

  /// An identity from its words.
  package init(text: String) {
    self.text = text
  }

  /// The identity that sysfs tells.
  ///
  /// - Parameters:
  ///   - devicePath: the real path of the device, `/sys/devices/pci0000:00/0000:00:14.0/usb1/1-2/1-2:1.0`.
  ///   - index: the number of the node among those of its camera.
  ///   - rank: how many nodes of the device that have this index come before it: a device that is not on USB may have several cameras.
  ///   - attribute: reads an attribute of the USB device that the interface belongs to.
  package init?(devicePath: String, index: Int, rank: Int = 0, attribute: (String) -> String?) {
    let parts = devicePath.split(separator: "/").map(String.init)
    guard let last = parts.last else { return nil }
    // The second node of a UVC camera is metadata, and those numbers are not the same on every kernel: lenses are told
    // apart by the interface.
    let lens = last.split(separator: ":").last.flatMap { $0.split(separator: ".").last }.flatMap { Int($0) } ?? 0
    let suffix = lens > 0 ? "#\(lens)" : ""
    if let vendor = attribute("idVendor"), let product = attribute("idProduct") {
      if let serial = attribute("serial"), Self.isTrustworthy(serial) {
        text = "usb:\(vendor):\(product):\(serial)\(suffix)"
        return
      }
      // "1-2.3": bus 1, whose number changes from boot to boot, then the ports, which do not.
      let ports = parts.dropLast().last?.split(separator: "-").last.map(String.init) ?? last
      let controller = parts.last { $0.contains(":") && $0.contains(".") && $0 != last } ?? "usb"
      text = "path:\(controller)-usb-\(ports)\(suffix)"
      return
    }
    text = "path:\(last)" + (rank > 0 ? "#\(index).\(rank)" : index > 0 ? "#\(index)" : "")
  }

  /// The identity of a camera of which only the driver tells where it is.
  package init(bus: String, card: String) {
    text = "path:\(bus.isEmpty ? card : bus)"
  }

  /// Makers that give the same serial number to every camera write it so.
  private static func isTrustworthy(_ serial: String) -> Bool {
    !serial.allSatisfy { $0 == "0" }
      && !["SN0001", "0123456789", "123456789", "1234567890", "200901010001"].contains(serial)
  }
}
