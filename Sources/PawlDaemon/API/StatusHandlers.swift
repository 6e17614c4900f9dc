internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Answers requests for the daemon's status, health, statistics and metrics.
struct StatusHandlers: Sendable {
    let queue: DaemonQueue
    let about: DaemonStatus
    let fleet: FleetReading

    func status() async throws -> Response {
        var status = about
        do throws(DownloadError) {
            if let problem = queue.store.problem { throw problem }
            status.counts = try await queue.store.read { try $0.downloads.counts() }
        } catch {
            // An error of a file that is in place is not expected to last.
            guard queue.store.problem != nil || error.code == .storeUnavailable else { throw error }
            status.storeProblem = "\(error.message); \(error.guidance.text(for: .api))"
        }
        status.bytesPerSecond = queue.running.bytesPerSecond
        status.lastEvent = queue.notifier.last
        status.url = queue.listener.url
        status.baseURL = queue.listener.proxies.value.base?.text
        status.listenProblem = queue.listener.problem
        status.aria2URL = queue.aria2Listener.url.map { $0 + Aria2Path.json }
        status.aria2Problem = queue.aria2Listener.problem
        status.maximumConcurrentDownloads = queue.counters.values.maximumConcurrentDownloads
        return try Response.json(status)
    }

    func health() async throws -> Response {
        do throws(DownloadError) {
            // The store must be readable and writable.
            _ = try await queue.store.read { try $0.downloads.counts() }
            try await queue.checkHealth()
        } catch {
            throw APIFailure(.serviceUnavailable, error)
        }
        return try Response.json(WireHealth())
    }

    /// Anybody may ask, so the response names no reason.
    func readiness() async throws -> Response {
        do throws(DownloadError) {
            if let problem = queue.store.problem { throw problem }
            _ = try await queue.store.read { try $0.events.last() }
        } catch {
            throw APIFailure(.serviceUnavailable, Self.notReady)
        }
        guard await queue.isOpen else { throw APIFailure(.serviceUnavailable, Self.notReady) }
        return try Response.json(WireHealth())
    }

    private static let notReady = DownloadError(
        .storeUnavailable,
        "the queue cannot be used now",
        advice: "see the log of the daemon, or its status"
    )

    func statistics() async throws -> WireStatistics {
        let values = queue.counters.values
        var numbers = WireStatistics()
        numbers.uptimeSeconds = (ContinuousClock.now - queue.counters.began).seconds
        numbers.counts = try await queue.store.read { try $0.downloads.counts() }
        numbers.bytesPerSecond = queue.running.bytesPerSecond
        numbers.receivedBytes = queue.running.receivedBytes
        (numbers.finished, numbers.failed) = (values.finished, values.failed)
        numbers.connections = queue.running.connections
        numbers.eventReaders = queue.notifier.readers
        numbers.requests = values.requests.values.reduce(0, +)
        return numbers
    }

    func metrics() async throws -> Response {
        let numbers = try await statistics()
        var text = MetricsText()
        text.add(
            "pawl_build_info",
            .gauge,
            "The running version.",
            [(labels: [("version", about.version)], value: 1)]
        )
        text.add(
            "pawl_downloads",
            .gauge,
            "Downloads by state.",
            TaskState.allCases.map { state in
                let count = numbers.counts[state.rawValue] ?? 0
                return (labels: [("state", state.rawValue)], value: Double(count))
            }
        )
        addTotals(numbers, to: &text)
        add(try await fleet.fleet(), to: &text)
        text.add(
            "pawl_api_requests_total",
            .counter,
            "Answered requests to the API.",
            queue.counters.values.requests.sorted {
                ($0.key.route, $0.key.method, $0.key.status)
                    < ($1.key.route, $1.key.method, $1.key.status)
            }.map { request, count in
                let labels = [
                    (name: "route", value: request.route), (name: "method", value: request.method),
                    (name: "status", value: "\(request.status)"),
                ]
                return (labels: labels, value: Double(count))
            }
        )
        return Response(
            status: .ok,
            headers: [.contentType: MetricsText.mediaType],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text.text))
        )
    }

    private func add(_ fleet: WireFleet, to text: inout MetricsText) {
        var hosts = fleet.hosts
        // There is always a sample.
        if hosts.isEmpty { hosts = [WireHostQueue(nil, counts: [TaskState.waiting.rawValue: 0])] }
        text.add(
            "pawl_queue",
            .gauge,
            "Unfinished downloads by host and state: the hosts with the most, and (other).",
            hosts.flatMap { Self.samples(of: $0) }
        )
        text.add(
            "pawl_nodes",
            .gauge,
            "Daemons that use the queue, by state.",
            WireNode.State.allCases.map { state in
                let count = fleet.nodes.count { $0.state == state }
                return (labels: [("state", state.rawValue)], value: Double(count))
            }
        )
        text.add(
            "pawl_node_lag_seconds",
            .gauge,
            "Time since a node renewed its lease; 0 without leases.",
            fleet.nodes.map { node in
                (labels: [("node", node.name)], value: node.lagSeconds ?? 0)
            }
        )
    }

    private static func samples(
        of queue: WireHostQueue
    ) -> [(labels: MetricsText.Labels, value: Double)] {
        let host = queue.host.map { $0.isEmpty ? "(none)" : $0 } ?? "(other)"
        return queue.counts.sorted { $0.key < $1.key }.map { state, count in
            let labels = [(name: "host", value: host), (name: "state", value: state)]
            return (labels: labels, value: Double(count))
        }
    }

    private func addTotals(_ numbers: WireStatistics, to text: inout MetricsText) {
        let totals: [(String, MetricsText.Kind, String, Double)] = [
            ("pawl_uptime_seconds", .gauge, "Uptime of the daemon.", numbers.uptimeSeconds),
            (
                "pawl_received_bytes_total", .counter, "Bytes received from servers.",
                Double(numbers.receivedBytes)
            ),
            (
                "pawl_speed_bytes_per_second", .gauge, "Speed of all downloads together.",
                Double(numbers.bytesPerSecond)
            ),
            ("pawl_connections", .gauge, "Connections to servers.", Double(numbers.connections)),
            ("pawl_finished_total", .counter, "Downloads that finished.", Double(numbers.finished)),
            ("pawl_failed_total", .counter, "Downloads that failed.", Double(numbers.failed)),
            ("pawl_event_readers", .gauge, "Open event streams.", Double(numbers.eventReaders)),
        ]
        for (name, kind, help, value) in totals { text.add(name, kind, help, value) }
    }
}
