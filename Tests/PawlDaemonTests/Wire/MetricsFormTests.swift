import PawlCore
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct MetricsFormTests {
    private func metrics(_ change: (inout TaskMetrics) -> Void) -> TaskMetrics {
        var metrics = TaskMetrics()
        change(&metrics)
        return metrics
    }

    @Test func `metrics have their JSON form, with times in seconds`() throws {
        let metrics = metrics { metrics in
            metrics.firstByte = .milliseconds(250)
            metrics.duration = .seconds(2)
            metrics.bytesReceived = 7
            metrics.segments = 3
            metrics.remoteAddress = "192.0.2.1"
        }
        let json = try WireJSON.encode(metrics)
        #expect(
            String(decoding: json, as: UTF8.self)
                == #"{"bytesReceived":7,"duration":2,"firstByte":0.25,"redirects":0,"#
                + #""remoteAddress":"192.0.2.1","retries":0,"reusedConnections":0,"#
                + #""segments":3,"transfers":0}"#
        )
        #expect(try WireJSON.decode(TaskMetrics.self, from: json) == metrics)
    }

    @Test(arguments: [1, 7, 4_296_542, 4_331_442, 987_654_321, 500_000_000_123_457])
    func `times are exact to the nanosecond`(count: Int64) throws {
        let metrics = metrics { $0.nameLookup = .nanoseconds(count) }
        let read = try WireJSON.decode(TaskMetrics.self, from: WireJSON.encode(metrics))
        #expect(read == metrics)
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
        let sum = idle.adding(first).adding(second)
        #expect(sum.connect == .milliseconds(5))
        #expect(sum.transfers == 3)
        #expect(sum.bytesReceived == 15)
        #expect(sum.retries == 1)
        #expect(sum.duration == .seconds(7))
        #expect(sum.remoteAddress == "192.0.2.1")
    }

    @Test func `foreign values cause no overflow`() throws {
        let most = Int64.max
        let json =
            #"{"bytesReceived":\#(most),"duration":1e300,"firstByte":-1,"redirects":0,"#
            + #""retries":0,"reusedConnections":0,"segments":0,"transfers":\#(most)}"#
        let odd = try WireJSON.decode(TaskMetrics.self, from: json.utf8)
        let sum = odd.adding(odd)
        #expect(sum.bytesReceived == .max)
        #expect(sum.transfers == .max)
        #expect(sum.duration == .zero)
        #expect(sum.firstByte == nil)
    }
}
