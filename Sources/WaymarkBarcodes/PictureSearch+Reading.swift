import WaymarkGeometry
import WaymarkSymbologies

extension PictureSearch {
  /// True if anything was seen that only a code would show: worth every pass.
  var hasTraces: Bool {
    trace != nil || !parts.outcome.incomplete.isEmpty || !unreadClaims.isEmpty || candidates.contains { $0.isCode }
      || hasClearBars
  }

  /// True if something is there that changes in one direction only, over a good length: bars, though a fence will do.
  private var hasClearBars: Bool { bars.contains(where: Self.isClear) }

  private static func isClear(_ bars: BarRegion) -> Bool {
    bars.coherence > 0.85 && bars.energy > 50 && bars.length > 100
  }

  /// Those that cross the clear bars, where all of these lie alike.
  var scanDirections: Ways {
    let clear = bars.filter(Self.isClear)
    let upright = clear.count { abs($0.direction.x) >= abs($0.direction.y) }
    return clear.isEmpty || upright > 0 && upright < clear.count ? .both : upright > 0 ? .rows : .columns
  }

  /// True if there is a reason to look for QR codes in every row: nothing was read, or a code is there that was not.
  var needsScaledPasses: Bool {
    symbologies.contains(.qr) && (accepted.isEmpty && parts.outcome.incomplete.isEmpty || !unreadCodes.isEmpty)
  }

  /// Reads of 1-D codes that carry a check but were not confirmed.
  private var unreadClaims: [Symbol] {
    let accepted = self.accepted
    return evidence.claims.map(\.symbol).filter { symbol in
      SymbolRules.isChecked(symbol) && !accepted.contains { Evidence.overlap($0, symbol) }
    }
  }

  /// True if bars were seen where nothing was read: another code beside those that were.
  var hasOtherBars: Bool {
    let accepted = self.accepted
    guard let widest = accepted.map({ $0.corners.bounds.max.x - $0.corners.bounds.min.x }).max() else { return false }
    return bars.contains { region in
      region.coherence > 0.8 && region.energy > 100 && region.length > 0.4 * widest
        && !accepted.contains {
          $0.corners.bounds.contains(region.center) || region.corners.contains($0.corners.center)
        }
    }
  }

  /// The result for the picture.
  var reading: ScanReading {
    var symbols = ReadingOrder.sorted(accepted + parts.outcome.parts)
    let addOns = AddOnReader(image: image, wanted: symbologies.intersection(AddOnReader.symbologies), bars: bars)
    if !addOns.wanted.isEmpty { for i in symbols.indices { symbols[i].addOn = addOns.read(symbols[i]) } }
    var reading = ScanReading(symbols: symbols)
    reading.incomplete = parts.outcome.incomplete
    reading.limited = isLimited
    reading.unread = unreadCodes.map {
      UnreadCode(kind: .qr, corners: $0.grid.corners, advice: CaptureAdvisor.advice(for: $0, in: image))
    }
    reading.unread += unreadOwn.map {
      UnreadCode(kind: .matrix, corners: $0.corners, advice: CaptureAdvisor.advice(for: $0, in: image))
    }
    if symbols.isEmpty, reading.unread.isEmpty, let trace {
      reading.unread = [
        UnreadCode(kind: .qr, corners: trace.corners, advice: CaptureAdvisor.advice(for: trace, in: image))
      ]
    }
    reading.unread += unreadExpanded.filter { corners in
      !symbols.contains { $0.corners.bounds.contains(corners.center) || corners.contains($0.corners.center) }
    }.map { UnreadCode(kind: .bars, corners: $0, advice: CaptureAdvisor.advice(forBars: $0, in: image)) }
    if symbols.isEmpty {
      reading.unread += unreadClaims.map {
        UnreadCode(kind: .bars, corners: $0.corners, advice: CaptureAdvisor.advice(forBars: $0.corners, in: image))
      }
    }
    return reading
  }
}
