package import WaymarkConfiguration
import WaymarkSystem

extension ServiceConfiguration.NamedCamera {
  /// The cameras of a configuration file in its order, and what is wrong with their names.
  package static func read(
    _ document: ConfigurationDocument, _ schema: ConfigurationSchema
  ) -> (cameras: [Self], problems: [ConfigurationProblem]) {
    var problems: [ConfigurationProblem] = []
    var cameras: [Self] = []
    for entry in document.checked["cameras"]?.entries ?? [] {
      func wrong(_ message: String, hint: String) {
        problems.append(document.problem(message, "cameras.\(entry.key)", entry.node, hint: hint))
      }
      if !isName(entry.key) {
        wrong("it is not a name for a camera", hint: "Use letters, digits, - and _, 64 characters at most.")
      } else if cameras.count == CameraKeys.limit {
        wrong("there are more than \(CameraKeys.limit) cameras", hint: "Leave some out.")
      } else {
        let values = ConfigurationValues(entry.node, places: schema.cameraKeys).values
        let own = ServiceConfiguration([values], schema: schema)
        cameras.append(Self(entry.key, own))
      }
    }
    return (cameras, problems)
  }

  fileprivate static func isName(_ text: String) -> Bool {
    text.wholeMatch(of: #/[A-Za-z0-9][A-Za-z0-9_\-]{0,63}/#) != nil
  }
}

extension ServiceConfiguration {
  /// The name of the first camera.
  var firstCamera: String { camera.name ?? NamedCamera.firstName }

  /// This configuration with the source of another camera: nothing of the first one's is inherited.
  package func using(camera other: NamedCamera) -> ServiceConfiguration {
    var result = self
    (result.source, result.camera) = (other.source, other.camera)
    return result
  }

  /// The configurations of all cameras, the first one's first.
  var byCamera: ByCamera<ServiceConfiguration> {
    ByCamera(self, named: firstCamera, others: cameras.map { ($0.name, using(camera: $0)) })
  }

  /// The names of all cameras, the first one's first.
  package var cameraNames: [String] { [firstCamera] + cameras.map(\.name) }

  /// Names those that can be named.
  package static func hint(of names: [String]) -> String { "Cameras are \(names.joined(separator: ", "))." }

  /// The problems of names and devices of several cameras.
  var cameraProblems: [ConfigurationProblem] {
    guard let document else { return [] }
    var (cameras, problems) = NamedCamera.read(document, schema)
    func wrong(_ key: String, _ message: String, hint: String) {
      problems.append(document.problem(message, key, document.checked.at(key), hint: hint))
    }
    if !NamedCamera.isName(firstCamera) {
      wrong(
        "camera.name", "it is not a name for a camera", hint: "Use letters, digits, - and _, 64 characters at most.")
    }
    if let named = trigger.camera, !cameraNames.contains(named) {
      wrong("trigger.camera", "no camera has this name", hint: Self.hint(of: cameraNames))
    }
    guard !cameras.isEmpty else { return problems }
    if cameras.contains(where: { $0.name == firstCamera }) {
      wrong(
        "cameras.\(firstCamera)", "the first camera has this name",
        hint: "Rename one: camera.name names the first, which is \(NamedCamera.firstName) without it.")
    }
    // Which of two cameras is found first is chance, and one that is taken cannot be opened again.
    var taken: [String: String] = [:]
    let all = [("camera.device", source, camera)] + cameras.map { ("cameras.\($0.name).device", $0.source, $0.camera) }
    for (key, source, camera) in all where source.path == nil {
      guard let device = camera.device, device != "auto" else {
        wrong(
          key, "it must name a device, as there are several cameras", hint: "waymark cameras lists what is plugged in.")
        continue
      }
      if let other = taken[device] {
        wrong(key, "\(other) is the same device", hint: "waymark cameras lists what is plugged in.")
      }
      taken[device] = key
    }
    cameras = cameras.filter { $0.source.path == "-" }
    if cameras.count + (source.path == "-" ? 1 : 0) > 1 {
      wrong("cameras", "standard input is the source of two cameras", hint: "Use named pipes.")
    }
    return problems
  }
}

extension ServiceConfiguration.Scan {
  /// These settings with those that another has of its own. What is armed by itself is not inherited.
  func overlaid(by own: ServiceConfiguration.Scan) -> ServiceConfiguration.Scan {
    ServiceConfiguration.Scan(
      autoBegin: own.autoBegin, onboardingSymbologies: own.onboardingSymbologies ?? onboardingSymbologies,
      barcodeSymbologies: own.barcodeSymbologies ?? barcodeSymbologies, rate: own.rate ?? rate,
      newAfter: own.newAfter ?? newAfter)
  }
}
