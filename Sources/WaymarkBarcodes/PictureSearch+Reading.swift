import WaymarkGeometry

extension PictureSearch {
  /// Whether the probe saw anything that a code would show.
  var hasTraces: Bool {
    !evidence.claims.isEmpty || !incomplete.isEmpty || candidates.contains(where: \.isCode) || !bars.isEmpty
  }

  /// What can be said of the picture.
  var reading: ScanReading {
    let symbols = evidence.sure
    var reading = ScanReading(symbols: symbols)
    // Several passes may have seen parts of one message: the one that saw most of them counts.
    let open = incomplete.filter { part in
      !symbols.contains { symbol in part.corners.contains { symbol.corners.contains($0.center) } }
    }
    reading.incomplete = open.max { $0.corners.count < $1.corners.count }.map { [$0] } ?? []
    reading.unread = unreadCodes.map {
      UnreadCode(kind: .qr, corners: $0.grid.corners, advice: Advisor.advice(for: $0, in: image))
    }
    return reading
  }
}
