package import WaymarkSpool
import WaymarkSystem

/// The bridge's figures in the text exposition format of Prometheus, version 0.0.4.
package enum BridgeMetrics {
  /// The text.
  package static func text(isConnected: Bool, isServiceThere: Bool, refused: UInt64, figures: EventLog.Figures)
    -> String
  {
    let rows: [(name: String, type: String, help: String, value: UInt64)] = [
      ("connected", "gauge", "1 while the broker is connected.", isConnected ? 1 : 0),
      ("service_connected", "gauge", "1 while the service of this device is connected.", isServiceThere ? 1 : 0),
      ("events_total", "counter", "Events that the store has taken since it was made.", figures.last),
      ("events_waiting", "gauge", "Events that the broker has not acknowledged.", figures.waiting),
      (
        "events_dropped_total", "counter", "Events that were lost because the store was full or damaged.",
        figures.dropped
      ),
      ("events_refused_total", "counter", "Events that the broker refused.", refused),
      ("store_bytes", "gauge", "Bytes that the store has on disk.", UInt64(max(0, figures.bytes))),
    ]
    var text = MetricsText(prefix: "waymark_bridge_")
    for row in rows { text.add(row.name, row.type, row.help, row.value) }
    return text.lines.map { $0 + "\n" }.joined()
  }
}
