import WaymarkConfiguration
package import WaymarkService

/// The settings of `waymark type` but its lists of rules; the service itself does not look at them.
package struct TypingSettings: Hashable, Sendable {
  /// The codes that are typed.
  package enum Arm: String, CaseIterable, Sendable {
    /// Those of scans that the service armed by itself: `scan.autoBegin` and `trigger.key`.
    case service
    /// The first of each such scan: a press of the key, a code.
    case key
    /// Those of a scan that the typist keeps armed.
    case always
  }

  package let arm: Arm
  /// The camera whose codes are typed; nil for any.
  package let camera: String?
  package let layout, variant, model: String?
  package let options: [String]
  package let prefix, suffix: String?
  package let aim: Bool?
  package let gs, controls, unicode: String?
  package let deadKeys: Bool
  /// Keys a second.
  package let rate: Double
  package let symbologies: [String]?
  package let device: String

  package init(_ configuration: ServiceConfiguration) {
    let values = configuration.values
    arm = values.string(forKey: "type.arm").flatMap(Arm.init(rawValue:)) ?? .service
    camera = values.string(forKey: "type.camera")
    layout = values.string(forKey: "type.layout")
    variant = values.string(forKey: "type.variant")
    model = values.string(forKey: "type.model")
    options = values.stringArray(forKey: "type.options") ?? []
    prefix = values.string(forKey: "type.prefix")
    suffix = values.string(forKey: "type.suffix")
    aim = values.bool(forKey: "type.aim")
    gs = values.string(forKey: "type.gs")
    controls = values.string(forKey: "type.controls")
    unicode = values.string(forKey: "type.unicode")
    deadKeys = values.bool(forKey: "type.deadKeys") ?? true
    rate = values.double(forKey: "type.rate") ?? 400
    symbologies = values.stringArray(forKey: "type.symbologies")
    device = values.string(forKey: "type.device") ?? "/dev/uinput"
  }

  /// The keys of the section `type` but its lists.
  static let keys: [ConfigurationKey] = {
    let change = ConfigurationKey.Change.told("restart of `waymark-type`")
    return [
      ConfigurationKey(
        "type.arm", .choice(TypingSettings.Arm.allCases.map(\.rawValue)),
        "whose codes `waymark type` types ([typing.md](typing.md))", defaultValue: .string("service"), change: change),
      ConfigurationKey(
        "type.camera", .string, "the name of the camera whose codes they are", otherwise: "any; armed is the first",
        change: change),
      ConfigurationKey(
        "type.layout", .string, "the keyboard layout that the focused program reads with, in the words of `setxkbmap`",
        otherwise: "that of `/etc/default/keyboard`, else `us`", change: change),
      ConfigurationKey("type.variant", .string, "its variant, such as `nodeadkeys`", change: change),
      ConfigurationKey("type.model", .string, "the keyboard's model", otherwise: "`pc105`", change: change),
      ConfigurationKey("type.options", .strings, "options of xkb", change: change),
      ConfigurationKey(
        "type.prefix", .string, "typed before the code; keys in braces, such as `{Tab}`", change: change),
      ConfigurationKey("type.suffix", .string, "typed after it", otherwise: "`{Enter}`", change: change),
      ConfigurationKey(
        "type.aim", .bool, "whether the symbology identifier of ISO/IEC 15424 goes before the data",
        otherwise: "`false`",
        change: change),
      ConfigurationKey("type.gs", .string, "what is typed for the separator of GS1 (ASCII 29)", change: change),
      ConfigurationKey(
        "type.controls", .choice(["refuse", "drop", "keys", "control"]), "what becomes of control characters",
        otherwise: "`refuse`", change: change),
      ConfigurationKey(
        "type.unicode", .choice(["refuse", "ctrlShiftU"]), "what becomes of characters that the layout has no key for",
        otherwise: "`refuse`", change: change),
      ConfigurationKey(
        "type.deadKeys", .bool, "whether accents may be typed with dead keys", defaultValue: .bool(true), change: change
      ),
      ConfigurationKey("type.rate", .double(1...2000), "keys a second", defaultValue: .double(400), change: change),
      ConfigurationKey("type.symbologies", .strings, "what the scan of `arm: always` reads", change: change),
      ConfigurationKey(
        "type.device", .string, "the device that makes keyboards", defaultValue: .string("/dev/uinput"), change: change),
    ]
  }()
}
