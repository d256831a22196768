import FuzzSupport
import Glibc
import WaymarkSystem

@testable import WaymarkScenes

/// Scene files in YAML and JSON, card files to import, camera calibrations.
@main
struct FuzzScenes {
  static func main() { fuzz(seeds: seeds) { feed($0, $1) } }
}

private func feed(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count > 1, let kind = bytes?[0] else { return 0 }
  let file = Array(input(bytes, count)[1...])
  switch kind % 4 {
  case 0: check(SceneLoader.parse(file, file: "scene.yaml", isJSON: false, folder: nil))
  case 1: check(SceneLoader.parse(file, file: "scene.json", isJSON: true, folder: nil))
  case 2: _ = try? CameraInfo(yaml: String(decoding: file, as: UTF8.self), name: "camera.yaml")
  default:
    let path = FuzzFile.path("cards.json")
    FuzzFile.write(file, to: path)
    let result = SceneImporter.read(file: path)
    for picture in result.pictures {
      require(!picture.path.contains("/") && !picture.path.hasPrefix("."), "a picture outside its folder")
    }
  }
  return 0
}

private func check(_ report: SceneReport) {
  guard let scene = report.scene else { return }
  require(report.errors.isEmpty, "a scene in spite of errors")
  let text = SceneWriter.yaml(scene)
  let again = SceneLoader.parse(Array(text.utf8), file: "again.yaml", isJSON: false, folder: nil)
  require(again.scene != nil, "a written scene cannot be read: \(again.problems)")
}

/// The forms of files that the project ships none of.
private let seeds: [[UInt8]] = [
  (
    1,
    #"{"name":"Pump room","anchors":[{"name":"p","image":"p.jpg","physicalWidth":0.21,"annotations":[{"id":"s","position":[0.05,0,0.02],"marker":{"icon":"wrench"},"card":{"title":"T","description":"D","image":"s.jpg","actionText":"A","actionType":"link","actionData":"https://example.com/"},"businessObject":{"type":"equipment","id":"1"}}]}]}"#
  ),
  (
    2,
    "%YAML:1.0\n---\ncamera_matrix: !!opencv-matrix\n  rows: 3\n  cols: 3\n  dt: d\n  data: [500., 0., 320., 0., 500., 240., 0., 0., 1.]\ndistortion_coefficients: {data: [0.1, -0.2, 0, 0, 0]}\nimage_width: 640\nimage_height: 480\n"
  ),
  (
    3,
    #"[{"id":"1","title_":"T","subtitle_":"S","detailImage_":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==","actionText_":"A","icon_":"star","image_":null,"actionContentURL_":"https://example.com","position_":[0.1,0.2,0.3]}]"#
  ),
  (
    3,
    #"{"id":"9","alias":"a","name":"scene","annotationAnchors":[{"id":"1","card":{"language":"en","title":"T","description":"D","image":{"data":"iVBORw0KGgo="},"actionText":"A","actionType":"link","actionData":"d"},"marker":{"icon":"i","iconIos":"i","icon-ios":"i","icon-android":"i"},"relPosition-x":0.1,"relPosition-y":0.2,"relPosition-z":0.3}],"referenceAnchorImagePhysicalWidthInMeters":0.2}"#
  ),
].map { [UInt8($0.0)] + Array($0.1.utf8) }
