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

    @Test func `they say what the task's say`() {
        var metrics = TaskMetrics()
        metrics.firstByte = .milliseconds(250)
        metrics.duration = .seconds(2)
        metrics.bytesReceived = 7
        metrics.segments = 3
        metrics.remoteAddress = "192.0.2.1"
        #expect(WireMetrics(metrics).metrics == metrics)
    }

    @Test func `of several runs the first connection and the sum of all is told`() {
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

    @Test func `what somebody else sends overflows nothing`() {
        var odd = metrics { $0.transfers = .max }
        (odd.bytesReceived, odd.duration, odd.firstByte) = (.max, .infinity, -1)
        let sum = odd.adding(odd)
        #expect(sum.bytesReceived == .max)
        #expect(sum.metrics.duration == .zero)
        #expect(sum.metrics.firstByte == nil)
    }
}
