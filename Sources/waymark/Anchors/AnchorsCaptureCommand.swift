import ArgumentParser
import WaymarkAnchors
import WaymarkBarcodes
import WaymarkDocuments
import WaymarkGeometry
import WaymarkImage
import WaymarkPipeline
import WaymarkPosters
import WaymarkSymbologies
import WaymarkSystem
import WaymarkWorker

/// `waymark anchors capture`: makes a reference picture of a photograph of a poster on the wall.
struct AnchorsCaptureCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "capture",
    abstract: "Makes a reference picture from a photograph of a poster on a wall: straight, evenly lit, with its size.",
    discussion: """
      The poster's outline is found where it stands out from the wall; otherwise name its corners. Its size comes from \
      --width, by a sheet of A4 beside it (--a4), or by a printed code beside it whose width is known (--code-width). \
      Prints how well it will be found and how to improve that.

      Ends with 0 when the reference was written, 1 when no outline was found, 65 or 66 when the photograph cannot be used.
      Example:
        waymark anchors capture wall.jpg -o poster.png --a4
      """)

  @Argument(help: "The photograph.", completion: .file())
  var photograph: String

  @Option(
    name: .letter(.output), help: "The reference to write, PNG or JPEG.", completion: .file(extensions: ["png", "jpg"]))
  var output: String

  @Option(
    help: ArgumentHelp(
      "Where the poster's corners are: top left, top right, bottom right, bottom left, in pixels of the upright photograph.",
      valueName: "x,y,x,y,x,y,x,y"),
    transform: CornerList.init)
  var corners: CornerList?

  @Option(help: ArgumentHelp("The width of the poster.", valueName: "metres"))
  var width: Double?

  @Flag(help: "A sheet of A4 hangs beside it on the same wall, upright or across.")
  var a4 = false

  @Option(
    help: ArgumentHelp("Where the corners of that sheet are, if it is not found.", valueName: "x,y,x,y,x,y,x,y"),
    transform: CornerList.init)
  var sheetCorners: CornerList?

  @Option(
    help: ArgumentHelp(
      "The width of a printed QR code, Data Matrix or Aztec code beside it on the same wall, without its quiet zone.",
      valueName: "metres"))
  var codeWidth: Double?

  @Option(help: ArgumentHelp("The long side of the reference, at most.", valueName: "pixels"))
  var longSide = 1600

  @Flag(help: "Print one JSON object.")
  var json = false

  func validate() throws {
    let ways = [width != nil, a4 || sheetCorners != nil, codeWidth != nil].count { $0 }
    guard ways <= 1 else { throw ValidationError("Choose one of --width, --a4 and --code-width.") }
    for (name, value) in [("--width", width), ("--code-width", codeWidth)] {
      if let value, !(value > 0 && value <= 100) {
        throw ValidationError("\(name) takes metres, above 0 and at most 100")
      }
    }
    for corners in [corners, sheetCorners] {
      guard corners.map({ $0.outline.isPlausible() }) ?? true else {
        throw ValidationError(
          "The corners do not form a rectangle seen from its front: list them clockwise from the top left.")
      }
    }
    guard (320...8000).contains(longSide) else { throw ValidationError("--long-side takes 320 to 8000") }
  }

  func run() async throws {
    do {
      let file = try PictureConverter().pages(of: PictureFile.read(photograph), keepsColour: true).page(1)
      let photo = try PictureDecoder().rgb(file).image
      let gray = try PictureDecoder().gray(file).image
      var found = PosterSearch(photo, outline: corners?.outline, sheet: sheetCorners?.outline, models: pageModels)
      guard let outline = try found.outline(besideSheet: a4) else {
        Output.diagnostic(
          "waymark: \(photograph): no poster stands out from the wall\n  Name its corners with --corners.")
        throw ExitCode(ExitStatus.nothingFound.rawValue)
      }
      let scale = try scale(of: outline, found, photo, gray)
      var capture = PosterCapture(outline: outline, photo: photo, gray: gray, longSide: longSide)
      capture.isCertain = found.isCertain
      capture.misfit = scale?.estimate.misfit
      guard
        let reference = capture.reference(
          aspect: scale?.estimate.size, without: scale?.others ?? [])
      else {
        throw AnchorError(
          .unusablePicture, "The corners do not form a rectangle seen from its front.",
          hint: "List them clockwise from the top left.")
      }
      let physical = scale?.estimate.size.x ?? width
      let name = AnchorEntry.stem(output)
      var anchor = try AnchorCompiler().compile(name: name, physicalWidth: physical, picture: capture.gray(reference))
      try RecallTest().judge(&anchor)
      let isPNG = output.lowercased().hasSuffix(".png")
      Output.file(output, isPNG ? try PNGEncoder.encode(reference) : try JPEGEncoder.encode(reference, quality: 92))
      try writeResult(
        CaptureRecord(
          input: photograph, output: output, width: reference.width, height: reference.height, physicalWidth: physical,
          physicalHeight: physical.map { $0 * Double(reference.height) / Double(reference.width) },
          corners: outline.corners.map { [$0.x, $0.y] }, quality: anchor.quality.score,
          reasons: capture.advice.map { CaptureRecord.Reason(code: $0.rawValue, text: $0.text) }
            + anchor.quality.reasons.map { CaptureRecord.Reason(code: $0.code, text: $0.text) }))
    } catch let error as AnchorError {
      try fail(error)
    } catch let error as ImageError {
      try fail(error)
    }
  }

  /// The poster's size by what hangs beside it, and where that is.
  private func scale(
    of outline: Quadrilateral, _ found: PosterSearch, _ photo: RGBImage, _ gray: GrayImage
  ) throws -> (estimate: PrintScale.Estimate, others: [Quadrilateral])? {
    let (width, height) = (Double(photo.width), Double(photo.height))
    let aspect = PageShape(outline: outline, width: width, height: height).aspect
    let known: Quadrilateral
    let size: Point2
    if a4 || sheetCorners != nil {
      guard let sheet = try found.sheet(beside: outline) else {
        throw AnchorError(
          .unusablePicture, "No sheet of A4 stands out from the wall.", hint: "Name its corners with --sheet-corners.")
      }
      (known, size) = (sheet, Point2(0.21, 0.297))
    } else if let codeWidth {
      guard let code = try Self.code(in: gray) else {
        throw AnchorError(
          .unusablePicture, "No QR code, Data Matrix or Aztec code is read beside the poster.",
          hint: "Take the photograph from closer, or set --width.")
      }
      (known, size) = (code.corners, Point2(codeWidth, codeWidth * code.referenceSize.y / code.referenceSize.x))
    } else {
      return nil
    }
    guard let estimate = PrintScale.estimate(of: outline, beside: known, measuring: size, aspect: aspect) else {
      throw AnchorError(
        .unusablePicture, "The object beside the poster does not determine its size.",
        hint: "Both must be on one wall, seen from the front.")
    }
    return (estimate, [known])
  }

  /// The largest code whose modules lie in a grid, its edges aligned with all of them.
  private static func code(in gray: GrayImage) throws -> CodeObservation? {
    var scanner = try BarcodeScanner()
    let symbols = gray.withView { scanner.scan($0).symbols }.filter { !$0.symbology.moduleGrids.isEmpty }
    let camera = CameraIntrinsics(assumedFor: gray.width, gray.height)
    let reading = CodeFollower.Reading(frame: gray, time: 0, sightings: symbols.map { CodeDetection($0) })
    let report = gray.withView { CodeFollower(intrinsics: camera).process($0, at: 0, read: reading) }
    return report.observations.max { $0.corners.signedArea < $1.corners.signedArea }
  }

  private func writeResult(_ record: CaptureRecord) throws {
    guard !json else { return try Output.record(record) }
    let size = record.physicalWidth.map { ", \(Self.metres($0)) m wide" } ?? ""
    Output.line("\(record.output): \(record.width)×\(record.height)\(size), quality \(record.quality)")
    for reason in record.reasons { Output.line("  \(reason.text)") }
  }

  private static func metres(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }
}

/// The record of a captured reference.
private struct CaptureRecord: Encodable {
  struct Reason: Encodable {
    var code: String
    var text: String
  }
  var input: String
  var output: String
  var width: Int
  var height: Int
  var physicalWidth: Double?
  var physicalHeight: Double?
  var corners: [[Double]]
  var quality: Int
  var reasons: [Reason]
}
