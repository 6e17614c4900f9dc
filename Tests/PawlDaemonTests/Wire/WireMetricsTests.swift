import PawlCore
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(1)))
struct WireMetricsTests {
    private func metrics(_ change: (inout TaskMetrics) -> Void) -> WireMetrics {
        var metrics = TaskMetrics()
        change(&metrics)
        return WireMetrics(metrics)
    }

    @Test func `metrics on the wire equal the task's`() {
        var metrics = TaskMetrics()
        metrics.firstByte = .milliseconds(250)
        metrics.duration = .seconds(2)
        metrics.bytesReceived = 7
        metrics.segments = 3
        metrics.remoteAddress = "192.0.2.1"
        #expect(WireMetrics(metrics).metrics == metrics)
    }

    @Test func `the metrics of several runs have the first connection and the sums`() {
        let idle = metrics { $0.duration = .seconds(1) }
        let first = metrics { metrics in
            (metrics.connect, metrics.transfers) = (.milliseconds(5), 2)
            (metrics.bytesReceived, metrics.retries) = (10, 1)
            (metrics.duration, metrics.remoteAddress) = (.seconds(2), "192.0.2.1")
        }
        let second = metrics { metrics in
            (metrics.connect, metrics.transfers) = (.milliseconds(9), 1)
            (metrics.bytesReceived, metrics.duration) = (5, .seconds(4))
        }
        let sum = idle.adding(first).adding(second).metrics
        #expect(sum.connect == .milliseconds(5))
        #expect(sum.transfers == 3)
        #expect(sum.bytesReceived == 15)
        #expect(sum.retries == 1)
        #expect(sum.duration == .seconds(7))
        #expect(sum.remoteAddress == "192.0.2.1")
    }

    @Test func `foreign values cause no overflow`() {
        var odd = metrics { $0.transfers = .max }
        (odd.bytesReceived, odd.duration, odd.firstByte) = (.max, .infinity, -1)
        let sum = odd.adding(odd)
        #expect(sum.bytesReceived == .max)
        #expect(sum.metrics.duration == .zero)
        #expect(sum.metrics.firstByte == nil)
    }
}
