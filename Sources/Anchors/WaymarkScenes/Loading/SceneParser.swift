import WaymarkConfiguration
import WaymarkImage
import WaymarkSystem

/// Converts a document into a scene; checks every field and reports every problem.
struct SceneParser {
  private var reader: SceneReader
  private let folder: SceneFolder?
  private enum Kind { case anchor, annotation }
  /// The position in the file at which each name of an anchor and each id of an annotation occurred first.
  private var seen: [Kind: [String: SourceMark]] = [:]

  private init(file: String, folder: SceneFolder?) {
    reader = SceneReader(file: file)
    self.folder = folder
  }

  /// Returns the scene, or `nil` if there are errors, and all problems.
  ///
  /// - Parameter folder: The folder of the pictures; `nil` to leave their paths unchecked.
  static func parse(_ root: SourceNode, file: String, folder: SceneFolder?) -> (scene: Scene?, problems: [SceneProblem])
  {
    var parser = SceneParser(file: file, folder: folder)
    let scene = parser.scene(root)
    return (parser.reader.hasErrors ? nil : scene, parser.reader.problems)
  }

  private mutating func scene(_ node: SourceNode) -> Scene? {
    if Self.isCardFile(node) {
      return reader.refuse(
        node.mark, "", "cardFile", "this is a card file of SAP's AR annotations, not a scene",
        hint: "make a scene of it: waymark scene import FILE -o FOLDER")
    }
    guard let map = reader.map(node, "", keys: ["name", "instruction", "ambiguous", "camera", "anchors"]) else {
      return nil
    }
    let name = reader.requiredText(map, "name", "", owner: node)
    let instruction = reader.text(map, "instruction", "") ?? Scene.defaultInstruction
    let ambiguous =
      choice(
        map, "ambiguous", "", of: AmbiguousAnchors.self,
        unknown: ("unknownAmbiguous", "a treatment of ambiguous anchors")) ?? .show
    let camera = reader.text(map, "camera", "")
    guard let anchorsNode = map["anchors"] else {
      return reader.refuse(
        node.mark, "anchors", "missing", "'anchors' is missing", hint: "add a list of pictures or codes to look for")
    }
    guard let nodes = reader.list(anchorsNode, "anchors") else { return nil }
    if nodes.isEmpty {
      reader.report(
        anchorsNode.mark, "anchors", "empty", "the scene has no anchor", hint: "add at least one picture or code")
    }
    guard nodes.count <= SceneLimits.anchors else {
      return reader.refuse(
        anchorsNode.mark, "anchors", "tooManyAnchors",
        "\(nodes.count) anchors; a scene holds at most \(SceneLimits.anchors)", hint: "split it into several scenes")
    }
    let total = nodes.reduce(0) { $0 + Self.annotationCount($1) }
    guard total <= SceneLimits.annotations else {
      return reader.refuse(
        anchorsNode.mark, "anchors", "tooManyAnnotations",
        "\(total) annotations; a scene holds at most \(SceneLimits.annotations)", hint: "split it into several scenes")
    }
    let anchors = nodes.enumerated().compactMap { anchor($0.element, "anchors[\($0.offset)]") }
    if anchors.count == nodes.count { checkCodes(anchors, nodes) }
    let markers = anchors.reduce(0) { $0 + $1.annotations.count * ($1.hangsOnEach ? $1.copies : 1) }
    if markers > SceneLimits.annotations {
      reader.report(
        anchorsNode.mark, "anchors", "tooManyMarkers",
        "\(markers) markers where every copy is in sight; a scene shows at most \(SceneLimits.annotations)",
        hint: "lower 'copies', or use 'annotate: nearest'")
    }
    return name.map {
      Scene(name: $0, instruction: instruction, anchors: anchors, ambiguous: ambiguous, camera: camera)
    }
  }

  /// Returns the value of a key with a fixed set of values; `nil` if it is missing, or unknown and therefore reported.
  private mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ map: [String: SourceNode], _ key: String, _ field: String, of choices: Choice.Type,
    unknown: (code: String, kind: String)
  ) -> Choice? {
    guard let word = reader.text(map, key, field), let node = map[key] else { return nil }
    if let value = Choice(rawValue: word) { return value }
    return reader.refuse(
      node.mark, field.isEmpty ? key : "\(field).\(key)", unknown.code, "'\(word.prefix(40))' is not \(unknown.kind)",
      hint: "use \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
  }

  /// Returns whether a document is one of SAP's card files that `SceneImporter` reads: a flat list of cards, or a scene
  /// of SAP's service.
  private static func isCardFile(_ node: SourceNode) -> Bool {
    func keys(_ node: SourceNode) -> [String] {
      if case .map(let entries) = node.value { entries.map(\.key) } else { [] }
    }
    if case .list(let nodes) = node.value { return nodes.first.map { keys($0).contains("title_") } ?? false }
    return keys(node).contains("annotationAnchors")
  }

  private static func annotationCount(_ node: SourceNode) -> Int {
    guard case .map(let entries) = node.value, let list = entries.first(where: { $0.key == "annotations" }),
      case .list(let nodes) = list.node.value
    else { return 0 }
    return nodes.count
  }

  /// Reports anchors whose code can never be found, because every matching code already matches an earlier anchor.
  private mutating func checkCodes(_ anchors: [SceneAnchor], _ nodes: [SourceNode]) {
    for (index, anchor) in anchors.enumerated() {
      guard let code = anchor.code,
        let before = anchors[..<index].first(where: { $0.code?.hides(code) == true })
      else { continue }
      reader.warn(
        nodes[index].mark, "anchors[\(index)].code", "neverFound",
        "every such code matches '\(before.name.prefix(40))', which is listed before it",
        hint: "put the narrower one first")
    }
  }

  private mutating func anchor(_ node: SourceNode, _ field: String) -> SceneAnchor? {
    let keys = ["name", "image", "code", "physicalWidth", "radius", "copies", "annotate", "annotations"]
    guard let map = reader.map(node, field, keys: keys) else { return nil }
    let name = reader.requiredText(map, "name", field, owner: node)
    if let name { unique(name, .anchor, map["name"]?.mark ?? node.mark, "\(field).name", "duplicateAnchor") }
    let codeNode = map.given("code")
    let code = codeNode.flatMap { SceneCodeParser.parse($0, of: field, &reader) }
    let image = picture(map, "image", field, owner: node, required: codeNode == nil)
    let widthNode = map.given("physicalWidth")
    let width = widthNode.flatMap { physicalWidth($0, "\(field).physicalWidth") }
    // The radius cannot be checked without a valid width.
    let radiusNode = width == nil && widthNode != nil ? nil : map.given("radius")
    let radius = radiusNode.flatMap { self.radius($0, "\(field).radius", width: width, isCode: code != nil) }
    let copies = copies(map, field, isCode: code != nil)
    let annotate =
      choice(
        map, "annotate", field, of: AnnotationCopies.self,
        unknown: ("unknownAnnotate", "a choice of the copies that annotations hang on")) ?? .nearest
    var annotations: [Annotation] = []
    if let listNode = map.given("annotations"), let nodes = reader.list(listNode, "\(field).annotations") {
      annotations = nodes.enumerated().compactMap {
        annotation($0.element, "\(field).annotations[\($0.offset)]", metric: width != nil, isCode: code != nil)
      }
    }
    guard let name, image != nil || code != nil else { return nil }
    return SceneAnchor(
      name: name, image: image, code: code, physicalWidth: width, radius: radius, copies: copies, annotate: annotate,
      annotations: annotations)
  }

  private mutating func copies(_ map: [String: SourceNode], _ field: String, isCode: Bool) -> Int {
    guard let node = map.given("copies"), let number = reader.number(node, "\(field).copies") else { return 1 }
    guard let copies = Int(exactly: number), (1...SceneLimits.copies).contains(copies) else {
      reader.report(
        node.mark, "\(field).copies", "outOfRange", "\(number) is not a number of copies",
        hint: "use a whole number from 1 to \(SceneLimits.copies)")
      return 1
    }
    guard !isCode || copies == 1 else {
      reader.report(
        node.mark, "\(field).copies", "needsPicture", "only pictures can have copies",
        hint: "leave 'copies' out: of several codes that fit an anchor one is followed")
      return 1
    }
    return copies
  }

  private mutating func radius(_ node: SourceNode, _ field: String, width: Double?, isCode: Bool) -> Double? {
    guard let radius = reader.number(node, field) else { return nil }
    guard !isCode else {
      return reader.refuse(
        node.mark, field, "needsPicture", "only pictures can be round",
        hint: "leave the radius out: a small code on something round is nearly flat")
    }
    guard isLength(radius, node, field, "radius", of: "thing") else { return nil }
    guard let width else {
      return reader.refuse(
        node.mark, field, "missing", "'physicalWidth' is missing beside the radius",
        hint: "add the width of the picture, measured round the thing, in metres")
    }
    guard CylinderMap.fits(width: width, radius: radius) else {
      return reader.refuse(
        node.mark, field, "tooSmall", "a picture \(width) m wide goes more than once round a radius of \(radius) m",
        hint: "write both in metres; the radius is half of the diameter")
    }
    return radius
  }

  private mutating func physicalWidth(_ node: SourceNode, _ field: String) -> Double? {
    guard let width = reader.number(node, field), isLength(width, node, field, "width", of: "print") else { return nil }
    if width > 2 {
      reader.warn(
        node.mark, field, "suspiciousWidth", "the print would be \(width) m wide",
        hint: "write metres: 21 cm is 0.21")
    }
    return width
  }

  /// Returns whether a length in metres is plausible for an object in front of a camera; reports an implausible one.
  private mutating func isLength(
    _ length: Double, _ node: SourceNode, _ field: String, _ name: String, of thing: String
  ) -> Bool {
    if length > 0, length <= SceneLimits.reach { return true }
    reader.report(
      node.mark, field, length > 0 ? "tooLarge" : "notPositive", "the \(name) is \(length) m",
      hint: length > 0 ? "write metres, not millimetres" : "write the \(name) of the \(thing) in metres")
    return false
  }

  private mutating func annotation(
    _ node: SourceNode, _ field: String, metric: Bool, isCode: Bool
  ) -> Annotation? {
    guard let map = reader.map(node, field, keys: ["id", "position", "at", "px", "marker", "card", "businessObject"])
    else {
      return nil
    }
    let id = reader.requiredText(map, "id", field, owner: node)
    if let id { unique(id, .annotation, map["id"]?.mark ?? node.mark, "\(field).id", "duplicateID") }
    var position = Point3(0, 0, 0)
    var place: PicturePlace?
    let given = PicturePlace.Unit.allCases.filter { map.given($0.rawValue) != nil }
    if let unit = given.first, let node = map.given(unit.rawValue) {
      let key = "\(field).\(unit.rawValue)"
      place = self.place(node, unit, key, isCode: isCode)
      if let other = map.given("position") != nil ? "position" : given.dropFirst().first?.rawValue {
        reader.report(node.mark, key, "twoPositions", "'\(other)' is given, too", hint: "keep one of them")
      }
    } else if let positionNode = map.given("position") {
      position = self.position(positionNode, "\(field).position", metric: metric) ?? position
    } else {
      reader.report(
        node.mark, "\(field).position", "missing", "'position' is missing",
        hint:
          "add 'position: [x, y, z]' in metres from the centre of the picture, or 'at: [x, y]' in shares or 'px: [x, y]' in pixels of it"
      )
    }
    let marker = map.given("marker").map { self.marker($0, "\(field).marker") } ?? Marker()
    let card = map.given("card").flatMap { self.card($0, "\(field).card") }
    let business = map.given("businessObject").flatMap { node in
      node.json
        ?? reader.refuse(
          node.mark, "\(field).businessObject", "notFinite", "a number in it is not finite", hint: "remove it")
    }
    return id.map {
      Annotation(id: $0, position: position, place: place, marker: marker, card: card, businessObject: business)
    }
  }

  /// Returns a point on the picture or beside it; `nil` if it is invalid and therefore reported.
  private mutating func place(
    _ node: SourceNode, _ unit: PicturePlace.Unit, _ field: String, isCode: Bool
  ) -> PicturePlace? {
    guard let nodes = reader.list(node, field) else { return nil }
    guard nodes.count == 2 else {
      return reader.refuse(
        node.mark, field, "wrongLength", "\(nodes.count) numbers where two belong",
        hint: unit == .shares
          ? "write [x, y]: [0, 0] is the upper left corner of the picture, [1, 1] the lower right one"
          : "write [x, y] in pixels from the upper left corner of the picture")
    }
    let numbers = nodes.enumerated().compactMap { reader.number($0.element, "\(field)[\($0.offset)]") }
    guard numbers.count == 2 else { return nil }
    guard !isCode else {
      return reader.refuse(
        node.mark, field, "needsPicture", "only pictures have shares and pixels",
        hint: "write 'position: [x, y, z]' in metres")
    }
    let limit = unit == .shares ? SceneLimits.shares : SceneLimits.pixels
    guard numbers.allSatisfy({ abs($0) <= limit }) else {
      return reader.refuse(
        node.mark, field, "tooFar", "more than \(Int(limit)) \(unit == .shares ? "pictures" : "pixels") away",
        hint: unit == .shares
          ? "write shares of the picture from 0 to 1; pixels are 'px: [x, y]'" : "write pixels of the picture")
    }
    return PicturePlace(point: Point2(numbers[0], numbers[1]), unit: unit)
  }

  private mutating func position(_ node: SourceNode, _ field: String, metric: Bool) -> Point3? {
    guard let nodes = reader.list(node, field) else { return nil }
    guard nodes.count == 3 else {
      return reader.refuse(
        node.mark, field, "wrongLength", "\(nodes.count) numbers where three belong", hint: "write [x, y, z] in metres")
    }
    let numbers = nodes.enumerated().compactMap { reader.number($0.element, "\(field)[\($0.offset)]") }
    guard numbers.count == 3 else { return nil }
    let point = Point3(numbers[0], numbers[1], numbers[2])
    guard point.length <= SceneLimits.reach else {
      return reader.refuse(
        node.mark, field, "tooFar", "\(point.length.rounded()) m from the picture; at most \(Int(SceneLimits.reach))",
        hint: "write metres, not millimetres")
    }
    if metric, point.length > 10 {
      reader.warn(
        node.mark, field, "suspiciousPosition", "\(point.length.rounded()) m from the picture",
        hint: "write metres, not centimetres")
    }
    return point
  }

  private mutating func marker(_ node: SourceNode, _ field: String) -> Marker {
    guard let map = reader.map(node, field, keys: ["icon", "icon-ios", "icon-android"]) else { return Marker() }
    var icon = reader.text(map, "icon", field, limit: SceneLimits.nameLength)
    // A name with the extension of a picture is the path of a picture.
    if let name = icon, Scene.isPicturePath(name) {
      icon = picture(map, "icon", field, owner: node, required: false)
    } else if let name = icon, let node = map["icon"], !Marker.icons.contains(name), map["icon-ios"] == nil,
      map["icon-android"] == nil
    {
      let guess = NearestWord.of(name, among: Marker.icons).map { "did you mean '\($0)'?" }
      reader.warn(
        node.mark, "\(field).icon", "unknownIcon", "the page has no icon '\(name.prefix(40))'",
        hint: guess ?? "use \(Marker.icons.joined(separator: ", ")), or a picture of the folder")
    }
    return Marker(
      icon: icon, iconIOS: reader.text(map, "icon-ios", field, limit: SceneLimits.nameLength),
      iconAndroid: reader.text(map, "icon-android", field, limit: SceneLimits.nameLength))
  }

  private mutating func card(_ node: SourceNode, _ field: String) -> SceneCard? {
    let keys = ["title", "description", "image", "actionText", "actionType", "actionData", "language"]
    guard let map = reader.map(node, field, keys: keys) else { return nil }
    let title = reader.requiredText(map, "title", field, owner: node, limit: SceneLimits.textLength)
    var card = SceneCard(title: title ?? "")
    card.description = reader.text(map, "description", field)
    card.image = picture(map, "image", field, owner: node, required: false)
    card.language = reader.text(map, "language", field, limit: 35)
    card.actionText = reader.text(map, "actionText", field)
    card.actionData = reader.text(map, "actionData", field)
    if let name = reader.text(map, "actionType", field), let typeNode = map["actionType"] {
      card.actionType = reader.action(name, typeNode, "\(field).actionType")
    }
    checkAction(card, map, field, owner: node)
    return title == nil ? nil : card
  }

  private mutating func checkAction(_ card: SceneCard, _ map: [String: SourceNode], _ field: String, owner: SourceNode)
  {
    guard card.actionText != nil || card.actionType != nil || card.actionData != nil else { return }
    if card.actionText == nil {
      reader.warn(
        (map["actionType"] ?? map["actionData"] ?? owner).mark, "\(field).actionText", "noButton",
        "the action has no text, so the card shows no button", hint: "add 'actionText: …'")
    }
    if card.actionType == nil, map["actionType"] == nil {
      reader.warn(
        (map["actionText"] ?? map["actionData"] ?? owner).mark, "\(field).actionType", "noAction",
        "the button has no type and does nothing", hint: "add 'actionType: link' (or video, phone, custom)")
    }
    guard let type = card.actionType, type != .custom else { return }
    let mark = (map["actionData"] ?? owner).mark
    guard let data = card.actionData, !data.isEmpty else {
      reader.report(
        mark, "\(field).actionData", "missing", "a '\(type.rawValue)' needs something to open",
        hint: "add 'actionData: …'")
      return
    }
    if let problem = type.problem(about: data) {
      reader.report(mark, "\(field).actionData", "badActionData", problem.message, hint: problem.hint)
    }
  }

  private mutating func unique(
    _ name: String, _ kind: Kind, _ mark: SourceMark, _ field: String, _ code: String
  ) {
    if let first = seen[kind]?[name] {
      reader.report(
        mark, field, code, "'\(name)' is already used in line \(first.line)", hint: "use a name that occurs once")
    } else {
      seen[kind, default: [:]][name] = mark
    }
  }

  private mutating func picture(
    _ map: [String: SourceNode], _ key: String, _ field: String, owner: SourceNode, required: Bool
  ) -> String? {
    let path =
      required
      ? reader.requiredText(map, key, field, owner: owner, limit: 1_024) : reader.text(map, key, field, limit: 1_024)
    guard let path, let node = map[key] else { return nil }
    guard let folder else { return path }
    do throws(SceneFolder.Refusal) {
      _ = try folder.picture(path)
      return path
    } catch {
      return reader.refuse(
        node.mark, "\(field).\(key)", error.remedy.code, error.message(path), hint: error.remedy.hint)
    }
  }
}
