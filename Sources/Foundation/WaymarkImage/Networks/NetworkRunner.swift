import CKernels

/// Runs a network, and keeps the memory for the next picture. To be used from one thread at a time.
package final class NetworkRunner {
  /// Room for the numbers of one picture.
  private final class Room {
    let numbers: UnsafeMutablePointer<Int16>
    let capacity: Int

    init(_ capacity: Int) {
      self.capacity = capacity
      numbers = .allocate(capacity: capacity)
      numbers.initialize(repeating: 0, count: capacity)
    }

    deinit { numbers.deallocate() }
  }

  /// A picture within its room.
  private struct Picture {
    let room: Room
    let width: Int
    let plane: LayerNetwork.Plane

    var rowStride: Int { (width + plane.padding.left + plane.padding.right) * plane.channels }
    var count: Int { rowStride * (plane.height + plane.padding.top + plane.padding.bottom) }

    /// The numbers from a place on, counted from the first one that is not padding.
    func numbers(_ x: Int, _ y: Int) -> UnsafeMutablePointer<Int16> {
      room.numbers + ((y + plane.padding.top) * rowStride + (x + plane.padding.left) * plane.channels)
    }
  }

  private let network: LayerNetwork
  private var spare: [Room] = []
  private var sums: [Int32] = []

  package init(_ network: LayerNetwork) { self.network = network }

  /// The last layer's numbers, of each column one after the other.
  ///
  /// - Parameter view: as high as the network wants it; a narrower one than it reads is filled up with what counts as 0.
  package func run(_ view: ImageView) -> [Float] {
    precondition(view.height == network.height && view.width > 0)
    let widths = network.widths(of: max(view.width, network.leastWidth))
    var pictures: [Picture?] = [loaded(view, width: widths[0])]
    var result: [Float] = []
    for (index, layer) in network.layers.enumerated() {
      guard let source = pictures[layer.from] else { break }
      let isLast = index + 1 == network.layers.count
      let made = isLast ? nil : picture(index + 1, width: widths[index + 1])
      switch layer.work {
      case .convolution(let kernel):
        if let made {
          convolve(source, kernel, layer, into: made)
        } else {
          result = columns(source, kernel, width: widths[index + 1])
        }
      case .addition(let other, let factors):
        if let made, let second = pictures[other] { add(source, second, factors, layer, into: made) }
      }
      pictures.append(made)
      for place in pictures.indices where network.planes[place].lastUse == index {
        if let done = pictures[place] { spare.append(done.room) }
        pictures[place] = nil
      }
    }
    spare += pictures.compactMap { $0?.room }
    return result
  }

  /// Room for a picture, its padding 0.
  private func picture(_ number: Int, width: Int) -> Picture {
    let plane = network.planes[number]
    let padding = plane.padding
    let count =
      (width + padding.left + padding.right) * (plane.height + padding.top + padding.bottom) * plane.channels
      + Int(CK_SLACK)
    let fitting = spare.indices.filter { spare[$0].capacity >= count }.min { spare[$0].capacity < spare[$1].capacity }
    let room = fitting.map { spare.remove(at: $0) } ?? Room(count)
    room.numbers.update(repeating: 0, count: count)
    return Picture(room: room, width: width, plane: plane)
  }

  private func loaded(_ view: ImageView, width: Int) -> Picture {
    let picture = picture(0, width: width)
    for y in 0..<view.height {
      let (row, numbers) = (view.row(y), picture.numbers(0, y))
      for x in 0..<view.width { numbers[x] = Int16(row[x]) - Int16(network.zero) }
    }
    return picture
  }

  private func convolve(_ source: Picture, _ kernel: LayerKernel, _ layer: LayerNetwork.Layer, into made: Picture) {
    withSums(kernel, width: made.width) { sums in
      for y in 0..<made.plane.height {
        sum(source, kernel, row: y, count: made.width, into: sums)
        ck_settle(
          sums, Int32(kernel.blocks), Int32(made.width), kernel.factors, Float(layer.low), Float(layer.high),
          Int32(kernel.shape.outputs), made.numbers(0, y))
      }
    }
  }

  private func columns(_ source: Picture, _ kernel: LayerKernel, width: Int) -> [Float] {
    withSums(kernel, width: width) { sums in
      sum(source, kernel, row: 0, count: width, into: sums)
      let (outputs, stride) = (kernel.shape.outputs, kernel.blocks * Int(CK_OUTPUTS))
      return (0..<(width * outputs)).map { i in
        Float(sums[i / outputs * stride + i % outputs]) * kernel.factors[i % outputs]
      }
    }
  }

  private func withSums<Result>(
    _ kernel: LayerKernel, width: Int, _ body: (UnsafeMutablePointer<Int32>) -> Result
  ) -> Result {
    let count = width * kernel.blocks * Int(CK_OUTPUTS)
    if sums.count < count { sums = [Int32](repeating: 0, count: count) }
    return sums.withUnsafeMutableBufferPointer { buffer in body(buffer.baseAddress!) }
  }

  private func sum(
    _ source: Picture, _ kernel: LayerKernel, row: Int, count: Int, into sums: UnsafeMutablePointer<Int32>
  ) {
    let shape = kernel.shape
    kernel.sum(
      source.numbers(-shape.padding.left, row * shape.stepDown - shape.padding.top), rowStride: source.rowStride,
      count: count, into: sums)
  }

  private func add(
    _ a: Picture, _ b: Picture, _ factors: (Int32, Int32), _ layer: LayerNetwork.Layer, into made: Picture
  ) {
    for y in 0..<made.plane.height {
      ck_add(
        a.numbers(0, y), factors.0, b.numbers(0, y), factors.1, Int16(layer.low), Int16(layer.high),
        made.width * made.plane.channels, made.numbers(0, y))
    }
  }
}
