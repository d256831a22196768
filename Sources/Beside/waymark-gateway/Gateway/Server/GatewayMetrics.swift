import Hummingbird
import WaymarkClient
import WaymarkHTTP
import WaymarkProtocol
import WaymarkSystem

/// Serves the figures of the service and of the gateway to Prometheus.
struct GatewayMetrics: Sendable {
  /// The prefix of the gateway's own figures.
  static let prefix = "waymark_gateway_"

  /// The figures of connections, requests and shared resources.
  let server: ServerFigures
  private let version: String
  private let socket: String
  private let feeds: EventFeeds
  private let webhooks: [WebhookSender]

  /// - Parameter socket: the path of the service's socket.
  init(version: String, socket: String, feeds: EventFeeds, webhooks: [WebhookSender], rooms: GatewayRooms) {
    (self.version, self.socket, self.feeds, self.webhooks) = (version, socket, feeds, webhooks)
    let reasons = AccessRefusal.allCases.map(\.rawValue) + [ServiceError.Code.notPermitted.rawValue]
    server = ServerFigures(reasons: reasons, rooms: rooms.all)
  }

  /// Adds `GET /metrics`.
  func add(to router: Router<GatewayContext>) {
    router.get("\(GatewayPaths.metrics)") { _, _ in
      Response.metrics(await PrometheusText.ofService(at: socket) + "\n" + text)
    }
  }

  /// The gateway's own figures.
  var text: String {
    var text = MetricsText(prefix: Self.prefix)
    text.add("info", "gauge", "The version of the gateway.", 1, ["version": version])
    text.add(
      "service_connected", "gauge", "1 while the service is connected.", feeds.of(.operator).isConnected ? 1 : 0)
    server.write(to: &text)
    text.add(
      "gaps_total", "counter", "Times that a stream of events was sent gateway.missed.",
      feeds.all.map { (["role": $0.role.rawValue], $0.gaps) })
    let all = webhooks.map { (labels: ["webhook": $0.settings.name], counts: $0.counts) }
    text.add(
      "webhook_events_waiting", "gauge", "Events that the receiver has not accepted.",
      all.map { ($0.labels, $0.counts.waiting) })
    text.add(
      "webhook_events_put_aside", "gauge", "Events that the receiver refused again and again.",
      all.map { ($0.labels, $0.counts.putAside) })
    text.add(
      "webhook_events_lost_total", "counter", "Events that were lost before they were sent.",
      all.map { ($0.labels, $0.counts.lost) })
    text.add(
      "webhook_store_bytes", "gauge", "Bytes of the stored events on disk.", all.map { ($0.labels, $0.counts.bytes) })
    return text.lines.map { $0 + "\n" }.joined()
  }
}
