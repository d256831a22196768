package import WaymarkFrames
import WaymarkImage
package import WaymarkProtocol
import WaymarkSystem

/// Delivers pictures to subscribers, each at its own rate and width. A subscriber that is ready receives the newest picture. A
/// picture is encoded once for all subscribers with the same reduction. The tap has its own lane, which is off without subscribers.
/// The file also has its subscribers (`MediaSubscription`) and the encoding of frames (`MediaEncoder`, `ColourConversion`).
package final class MediaTap: Sendable {
  private typealias Watchers = Monitor<[ObjectIdentifier: MediaSubscription]>

  package let lane: Lane<Bool, Bool>
  private let watchers: Watchers

  /// Creates a tap without subscribers.
  ///
  /// - Parameter makeDecoder: creates the decoder for compressed pictures, on the lane's thread. If it returns nil, pictures are
  ///   decoded on this thread.
  package init(makeDecoder: @escaping MakeFrameDecoder = { nil }) {
    let watchers = Watchers([:])
    self.watchers = watchers
    lane = Lane(
      name: "media", settings: true, wantsEncoded: true,
      makeWork: {
        let work = MediaProcessor(decoder: makeDecoder()) { watchers.withLock { Array($0.values) } }
        return { frame, _ in work.serve(frame) }
      }, deliver: { _, _ in })
  }

  /// Adds a subscriber.
  ///
  /// - Parameters:
  ///   - width: the width that the subscriber needs, in pixels; nil for the full width.
  ///   - rate: the maximum number of pictures per second; nil for all.
  ///   - deliver: receives a picture, on the lane's thread; called again only after `MediaSubscription.ready()`.
  /// - Returns: the subscription, which the caller keeps and cancels. The first picture is delivered without a call of `ready()`.
  package func watch(
    width: Int? = nil, rate: Double? = nil, deliver: @escaping @Sendable (MediaPicture) -> Void
  ) -> MediaSubscription {
    let watch = MediaSubscription(width: width, rate: rate, deliver: deliver) { [weak self] watch in self?.remove(watch)
    }
    watchers.withLock { $0[ObjectIdentifier(watch)] = watch }
    review()
    return watch
  }

  package var count: Int { watchers.withLock { $0.count } }

  private func remove(_ watch: MediaSubscription) {
    _ = watchers.withLock { $0.removeValue(forKey: ObjectIdentifier(watch)) }
    review()
  }

  /// Sets the rate of the lane to the rate of the fastest subscriber, and switches the lane off without subscribers.
  private func review() {
    let rates = watchers.withLock { $0.values.map(\.rate) }
    lane.setMaximumRate(rates.contains { $0 == nil } ? nil : rates.compactMap { $0 }.max())
    lane.setEnabled(!rates.isEmpty)
  }
}

/// A subscriber of a `MediaTap`: a preview, or a snapshot that waits for its picture.
package final class MediaSubscription: Sendable {
  private struct State: Sendable {
    var ready = true
    var cancelled = false
    var pacer = FramePacer()
  }

  let width: Int?
  let rate: Double?
  private let deliver: @Sendable (MediaPicture) -> Void
  private let remove: @Sendable (MediaSubscription) -> Void
  private let state = Monitor(State())

  fileprivate init(
    width: Int?, rate: Double?, deliver: @escaping @Sendable (MediaPicture) -> Void,
    remove: @escaping @Sendable (MediaSubscription) -> Void
  ) {
    self.width = width
    self.rate = rate
    self.deliver = deliver
    self.remove = remove
  }

  /// Requests the next picture. Called after the last picture has been sent.
  package func ready() { state.withLock { $0.ready = true } }

  /// Ends the subscription. A picture that is being encoded may still be delivered.
  package func cancel() {
    let first = state.withLock { state in
      defer { state.cancelled = true }
      return !state.cancelled
    }
    if first { remove(self) }
  }

  /// Returns whether the subscriber takes the frame captured at `time`. If so, it takes no further frame before `ready()`.
  fileprivate func takes(_ time: Double) -> Bool {
    state.withLock { state in
      guard state.ready, !state.cancelled, state.pacer.takes(time, rate: rate) else { return false }
      state.ready = false
      return true
    }
  }

  fileprivate func hand(_ picture: MediaPicture?) {
    // If the frame could not be encoded, the subscriber is ready for the next frame.
    if let picture { deliver(picture) } else { ready() }
  }
}

/// The lane's work on frames. Used only on the lane's thread.
private final class MediaProcessor {
  private var encoder: MediaEncoder
  private let watchers: () -> [MediaSubscription]

  init(decoder: (any FrameDecoder)?, watchers: @escaping () -> [MediaSubscription]) {
    encoder = MediaEncoder(outOfProcess: decoder)
    self.watchers = watchers
  }

  func serve(_ frame: Frame) -> Bool {
    let taking = watchers().filter { $0.takes(frame.captured) }
    // Subscribers with the same reduction receive the same file.
    let groups = Dictionary(grouping: taking) { MediaEncoder.factor(from: frame.width, to: $0.width) }
    for (_, group) in groups {
      let picture = encoder.encode(frame, wanted: group[0].width)
      for watch in group { watch.hand(picture) }
    }
    return !taking.isEmpty
  }
}

// MARK: - Encoding

/// Encodes frames as JPEG files. The JPEG of a camera is passed through if it is less than twice as wide as needed;
/// all other frames are decoded, reduced and encoded. Not thread-safe.
package struct MediaEncoder: ~Copyable {
  private var decoder: JPEGDecoder?
  private let outOfProcess: (any FrameDecoder)?
  private let quality: Int

  /// Creates an encoder.
  ///
  /// - Parameters:
  ///   - quality: the quality of the JPEG files, from 1 to 100.
  ///   - outOfProcess: the decoder for compressed pictures; nil to decode them in this process.
  package init(quality: Int = JPEGQuality.preview, outOfProcess: (any FrameDecoder)? = nil) {
    self.quality = quality
    self.outOfProcess = outOfProcess
    decoder = try? JPEGDecoder()
  }

  /// Encodes a frame.
  ///
  /// - Parameter wanted: the width that the picture needs, in pixels; nil for the full width.
  /// - Returns: nil if the frame cannot be decoded.
  package mutating func encode(_ frame: Frame, wanted: Int?) -> MediaPicture? {
    guard let encoded = frame.encoded else {
      let factor = Self.factor(from: frame.width, to: wanted)
      let small = factor == 1 ? frame.image : frame.image.withView { $0.shrunk(by: factor) }
      guard let bytes = try? JPEGEncoder.encode(small, quality: quality) else { return nil }
      return picture(frame, width: small.width, height: small.height, bytes: bytes)
    }
    // `wanted` is the width after the transform is applied; `layout` has the size before the transform.
    let layout = encoded.layout
    let seen = encoded.transform.size(width: layout.width, height: layout.height)
    let factor = Self.factor(from: seen.width, to: wanted)
    if layout.format == .mjpeg, factor == 1 {
      let bytes = encoded.withBytes { MJPEGToJPEG.complete($0, orientation: encoded.transform.orientation) }
      return picture(frame, width: seen.width, height: seen.height, bytes: bytes)
    }
    if layout.format == .mjpeg { return reduced(frame, encoded, factor: factor) }
    guard let colours = encoded.withBytes({ ColourConversion.rgb($0, layout: layout, factor: factor) }),
      let bytes = try? JPEGEncoder.encode(colours.oriented(encoded.transform.orientation), quality: quality)
    else { return nil }
    let size = encoded.transform.size(width: colours.width, height: colours.height)
    return picture(frame, width: size.width, height: size.height, bytes: bytes)
  }

  private mutating func reduced(_ frame: Frame, _ encoded: EncodedPicture, factor: Int) -> MediaPicture? {
    let scale: JPEGDecoder.Scale = factor >= 8 ? .eighth : factor >= 4 ? .quarter : .half
    let (orientation, quality) = (encoded.transform.orientation, quality)
    let agreed = encoded.layout.width * encoded.layout.height
    let made = encoded.withBytes { bytes -> (order: DecodeRequest, bytes: [UInt8])? in
      // A picture larger than agreed with the camera is refused: a header of a few bytes could request gigabytes.
      guard let size = JPEGStructure.pictureSize(bytes), size.width * size.height <= agreed else { return nil }
      let order = DecodeRequest(width: size.width, height: size.height, scale: scale)
      let file =
        if let outOfProcess {
          outOfProcess.preview(bytes, order, orientation: orientation, quality: quality)
        } else {
          try? preview(bytes, order, orientation)
        }
      return file.map { (order, $0) }
    }
    guard let made else { return nil }
    let size = encoded.transform.size(width: made.order.scaledWidth, height: made.order.scaledHeight)
    return picture(frame, width: size.width, height: size.height, bytes: made.bytes)
  }

  private mutating func preview(
    _ bytes: UnsafeRawBufferPointer, _ order: DecodeRequest, _ orientation: Orientation
  ) throws(ImageError) -> [UInt8] {
    if decoder == nil { decoder = try JPEGDecoder() }
    return try FramePreview.make(bytes, order, orientation: orientation, quality: quality, with: &decoder!)
  }

  private func picture(_ frame: Frame, width: Int, height: Int, bytes: [UInt8]) -> MediaPicture {
    MediaPicture(
      frame: FrameReference(frame), width: width, height: height, bytes: bytes)
  }

  /// Returns the largest factor, a power of two up to 8, by which a picture can be reduced without becoming narrower
  /// than `wanted`.
  package static func factor(from width: Int, to wanted: Int?) -> Int {
    guard let wanted, wanted > 0 else { return 1 }
    var factor = 1
    while factor < 8, width / (2 * factor) >= wanted { factor *= 2 }
    return factor
  }
}

/// A picture of the preview, as a complete JPEG file.
package struct MediaPicture: Sendable {
  /// The frame that the picture shows.
  package let frame: FrameReference
  /// The width of the picture after its orientation is applied, in pixels.
  package let width: Int
  /// The height of the picture after its orientation is applied, in pixels.
  package let height: Int
  package let bytes: [UInt8]
}

// MARK: - Colours

/// Converts uncompressed pictures to RGB for previews.
enum ColourConversion {
  /// Converts every `factor`-th pixel of every `factor`-th row of a captured picture.
  ///
  /// - Returns: nil if `bytes` is too short or the format is compressed.
  static func rgb(_ bytes: UnsafeRawBufferPointer, layout: PixelLayout, factor: Int = 1) -> RGBImage? {
    guard let frameBytes = layout.frameBytes, bytes.count >= frameBytes,
      let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    else { return nil }
    let (width, height) = (layout.width / factor, layout.height / factor)
    return RGBImage(width: width, height: height) { output in
      for y in 0..<height {
        for x in 0..<width {
          let (luma, blue, red) = sample(base, layout, x * factor, y * factor)
          let at = 3 * (y * width + x)
          // ITU-R BT.601 with the limited range that V4L2 assumes for YCbCr, with coefficients in units of 1/1024.
          let scaled = 1192 * (luma - 16)
          output[at] = clamp(scaled + 1634 * (red - 128))
          output[at + 1] = clamp(scaled - 401 * (blue - 128) - 833 * (red - 128))
          output[at + 2] = clamp(scaled + 2066 * (blue - 128))
        }
      }
    }
  }

  /// Returns the Y, Cb and Cr values of a pixel.
  @inline(__always)
  private static func sample(
    _ base: UnsafePointer<UInt8>, _ layout: PixelLayout, _ x: Int, _ y: Int
  ) -> (Int, Int, Int) {
    let stride = layout.bytesPerLine
    let row = base + y * stride
    switch layout.format {
    case .mjpeg: return (16, 128, 128)
    case .grey: return (16 + Int(row[x]) * 219 / 255, 128, 128)
    case .yuyv:
      let pair = row + (x & ~1) * 2
      return (Int(row[2 * x]), Int(pair[1]), Int(pair[3]))
    case .uyvy:
      let pair = row + (x & ~1) * 2
      return (Int(row[2 * x + 1]), Int(pair[0]), Int(pair[2]))
    case .nv12, .nv21:
      let pair = base + layout.height * stride + (y / 2) * stride + (x & ~1)
      return layout.format == .nv12
        ? (Int(row[x]), Int(pair[0]), Int(pair[1])) : (Int(row[x]), Int(pair[1]), Int(pair[0]))
    case .yuv420:
      let half = (stride + 1) / 2
      let blue = base + layout.height * stride + (y / 2) * half + x / 2
      return (Int(row[x]), Int(blue[0]), Int(blue[half * ((layout.height + 1) / 2)]))
    }
  }

  private static func clamp(_ scaled: Int) -> UInt8 { UInt8(min(max((scaled + 512) >> 10, 0), 255)) }
}
