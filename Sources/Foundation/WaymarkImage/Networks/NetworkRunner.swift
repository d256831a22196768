/// Runs a network and keeps the memory for the next picture. For one thread at a time.
package final class NetworkRunner<Kernel: LayerKernel> {
  /// Memory for the activations of one picture.
  private final class Room {
    let numbers: UnsafeMutablePointer<Kernel.Number>
    let capacity: Int

    init(_ capacity: Int) {
      self.capacity = capacity
      numbers = .allocate(capacity: capacity)
      numbers.initialize(repeating: 0, count: capacity)
    }

    deinit { numbers.deallocate() }
  }

  /// A picture (feature map) in its memory; the channels of a position are adjacent.
  private struct Picture {
    let room: Room
    let width: Int
    let plane: LayerNetwork<Kernel>.Plane

    var rowStride: Int { (width + plane.padding.left + plane.padding.right) * plane.channels }

    /// Returns the activations that begin at the position (x, y); (0, 0) is the first position that is not padding.
    func numbers(_ x: Int, _ y: Int) -> UnsafeMutablePointer<Kernel.Number> {
      room.numbers + ((y + plane.padding.top) * rowStride + (x + plane.padding.left) * plane.channels)
    }

    func clearPadding() {
      let padding = plane.padding
      room.numbers.update(repeating: 0, count: padding.top * rowStride)
      for y in 0..<plane.height {
        numbers(-padding.left, y).update(repeating: 0, count: padding.left * plane.channels)
        numbers(width, y).update(repeating: 0, count: padding.right * plane.channels)
      }
      numbers(-padding.left, plane.height).update(repeating: 0, count: padding.bottom * rowStride)
    }
  }

  private let network: LayerNetwork<Kernel>
  private var spare: [Room] = []
  private var sums: [Kernel.Sum] = []

  package init(_ network: LayerNetwork<Kernel>) { self.network = network }

  /// Returns the outputs of the last layer, position by position.
  ///
  /// - Parameter load: writes a row of the input, given its index.
  private func run(width: Int, load: (Int, UnsafeMutablePointer<Kernel.Number>) -> Void) -> [Float] {
    let widths = network.widths(of: max(width, network.leastWidth))
    let input = picture(0, width: widths[0])
    for y in 0..<network.height {
      load(y, input.numbers(0, y))
      input.numbers(width, y).update(repeating: 0, count: (input.width - width) * input.plane.channels)
    }
    var pictures: [Picture?] = [input]
    var result: [Float] = []
    for (index, layer) in network.layers.enumerated() {
      guard let source = pictures[layer.from] else { break }
      let isLast = index + 1 == network.layers.count
      let made = isLast ? nil : picture(index + 1, width: widths[index + 1])
      switch layer.work {
      case .convolution(let kernel):
        if let made {
          convolve(source, kernel, rectified: layer.rectifies, into: made)
        } else {
          result = values(source, kernel, width: widths[index + 1], height: network.planes[index + 1].height)
        }
      case .addition(let other, let factors):
        if let made, let second = pictures[other] {
          add(source, second, factors, rectified: layer.rectifies, into: made)
        }
      case .gate(let gate):
        if let made { self.gate(source, gate, into: made) }
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

  /// Returns memory for a picture, with its padding set to 0.
  private func picture(_ number: Int, width: Int) -> Picture {
    let plane = network.planes[number]
    let padding = plane.padding
    let count =
      (width + padding.left + padding.right) * (plane.height + padding.top + padding.bottom) * plane.channels
      + Kernel.slack
    let fitting = spare.indices.filter { spare[$0].capacity >= count }.min { spare[$0].capacity < spare[$1].capacity }
    let picture = Picture(room: fitting.map { spare.remove(at: $0) } ?? Room(count), width: width, plane: plane)
    picture.clearPadding()
    return picture
  }

  private func convolve(_ source: Picture, _ kernel: Kernel, rectified: Bool, into made: Picture) {
    // Kernels compute several positions at once, so short rows without padding between them are computed as one row.
    let isDense = kernel.shape.isPointwise && source.plane.padding == ConvolutionShape.Padding()
    let rows = isDense && made.width < 64 ? 8 : 1
    withSums(kernel, count: rows * made.width) { sums in
      for first in stride(from: 0, to: made.plane.height, by: rows) {
        let own = min(rows, made.plane.height - first)
        sum(source, kernel, row: first, count: own * made.width, into: sums)
        for row in 0..<own {
          kernel.settle(
            sums + row * made.width * kernel.sumCount, count: made.width, rectified: rectified,
            into: made.numbers(0, first + row))
        }
      }
    }
  }

  private func values(_ source: Picture, _ kernel: Kernel, width: Int, height: Int) -> [Float] {
    let outputs = kernel.shape.outputs
    return withSums(kernel, count: width) { sums in
      var result: [Float] = []
      result.reserveCapacity(width * height * outputs)
      for y in 0..<height {
        sum(source, kernel, row: y, count: width, into: sums)
        for x in 0..<width {
          for output in 0..<outputs { result.append(kernel.value(sums[x * kernel.sumCount + output], of: output)) }
        }
      }
      return result
    }
  }

  private func withSums<Result>(
    _ kernel: Kernel, count: Int, _ body: (UnsafeMutablePointer<Kernel.Sum>) -> Result
  ) -> Result {
    let count = count * kernel.sumCount
    if sums.count < count { sums = [Kernel.Sum](repeating: 0, count: count) }
    return sums.withUnsafeMutableBufferPointer { buffer in body(buffer.baseAddress!) }
  }

  private func sum(
    _ source: Picture, _ kernel: Kernel, row: Int, count: Int, into sums: UnsafeMutablePointer<Kernel.Sum>
  ) {
    let shape = kernel.shape
    kernel.sum(
      source.numbers(-shape.padding.left, row * shape.stepDown - shape.padding.top), rowStride: source.rowStride,
      count: count, into: sums)
  }

  private func gate(_ source: Picture, _ gate: ChannelGate, into made: Picture) {
    let channels = source.plane.channels
    var means = [Float](repeating: 0, count: channels)
    for y in 0..<source.plane.height {
      for x in 0..<source.width {
        let numbers = source.numbers(x, y)
        for channel in 0..<channels { means[channel] += Kernel.real(numbers[channel]) }
      }
    }
    let factors = gate.factors(means.map { $0 / Float(source.plane.height * source.width) })
    for y in 0..<source.plane.height {
      for x in 0..<source.width {
        let (numbers, target) = (source.numbers(x, y), made.numbers(x, y))
        for channel in 0..<channels {
          target[channel] = Kernel.number(Kernel.real(numbers[channel]) * factors[channel])
        }
      }
    }
  }

  private func add(
    _ a: Picture, _ b: Picture, _ factors: (Kernel.Sum, Kernel.Sum), rectified: Bool, into made: Picture
  ) {
    let channels = made.plane.channels
    for y in 0..<made.plane.height {
      if b.plane.height == made.plane.height {
        Kernel.add(
          a.numbers(0, y), b.numbers(0, y), factors, count: made.width * channels, rectified: rectified,
          into: made.numbers(0, y))
      } else {
        for x in 0..<made.width {
          Kernel.add(
            a.numbers(x, y), b.numbers(x / 2, y / 2), factors, count: channels, rectified: rectified,
            into: made.numbers(x, y))
        }
      }
    }
  }
}

extension NetworkRunner where Kernel == IntegerKernel {
  /// Returns the outputs of the last layer, column by column.
  ///
  /// - Parameter view: the picture, with the height of the network's input.
  package func run(_ view: ImageView) -> [Float] {
    precondition(view.height == network.height && view.width > 0)
    return run(width: view.width) { y, numbers in
      let row = view.row(y)
      for x in 0..<view.width { numbers[x] = Int16(row[x]) - network.zero }
    }
  }
}

extension NetworkRunner where Kernel == FloatKernel {
  /// Returns the outputs of the last layer, row by row.
  ///
  /// - Parameter values: a square picture with the height of the network's input; the channels of a position are
  ///   adjacent.
  package func run(_ values: [Float]) -> [Float] {
    let row = network.height * network.planes[0].channels
    precondition(values.count == network.height * row)
    return run(width: network.height) { y, numbers in
      for i in 0..<row { numbers[i] = values[y &* row &+ i] }
    }
  }
}
