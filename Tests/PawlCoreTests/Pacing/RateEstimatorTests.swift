import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RateEstimatorTests {
    private func moment(_ seconds: Double) -> Moment { .zero + .seconds(seconds) }

    @Test func `the rate is unknown before the second sample`() {
        var estimator = RateEstimator()
        #expect(estimator.bytesPerSecond(at: .zero) == 0)
        estimator.record(totalBytes: 5_000_000, at: .zero)
        #expect(estimator.bytesPerSecond(at: moment(1)) == 0)
    }

    @Test func `the second sample gives the full rate`() {
        var estimator = RateEstimator()
        estimator.record(totalBytes: 5_000_000, at: moment(10))
        estimator.record(totalBytes: 5_100_000, at: moment(10.1))
        #expect(abs(estimator.bytesPerSecond(at: moment(10.1)) - 1_000_000) < 1)
    }

    @Test func `a steady flow gives its rate, however irregular the samples`() {
        var random = TestSeed.generator("samples")
        var estimator = RateEstimator()
        var time = 0.0
        for _ in 0..<1000 {
            estimator.record(totalBytes: Int64(time * 1e6), at: moment(time))
            time += Double.random(in: 0.001...1.5, using: &random)
        }
        estimator.record(totalBytes: Int64(time * 1e6), at: moment(time))
        let rate = estimator.bytesPerSecond(at: moment(time))
        #expect(abs(rate / 1e6 - 1) < 0.001)
    }

    @Test func `the rate does not depend on how a span is divided`() {
        var coarse = RateEstimator()
        var fine = RateEstimator()
        for step in 0...40 {
            let time = Double(step) / 10
            let bytes = Int64(step <= 20 ? step * 1000 : 20_000 + (step - 20) * 9000)
            fine.record(totalBytes: bytes, at: moment(time))
            if step.isMultiple(of: 20) { coarse.record(totalBytes: bytes, at: moment(time)) }
        }
        let difference =
            fine.bytesPerSecond(at: moment(4)) - coarse.bytesPerSecond(at: moment(4))
        #expect(abs(difference) < 1)
    }

    @Test func `the rate falls when no bytes arrive, sampled or not`() {
        var sampled = RateEstimator()
        sampled.record(totalBytes: 0, at: .zero)
        for step in 1...100 {
            sampled.record(totalBytes: Int64(step) * 100_000, at: moment(Double(step) / 10))
        }
        let waiting = sampled
        for step in 101...120 {
            sampled.record(totalBytes: 10_000_000, at: moment(Double(step) / 10))
        }
        let rate = waiting.bytesPerSecond(at: moment(12))
        #expect(abs(rate - sampled.bytesPerSecond(at: moment(12))) < 1)
        #expect((300_000...400_000).contains(rate))
        #expect(waiting.bytesPerSecond(at: moment(60)) == 0)
    }

    @Test func `skipped time does not count`() {
        var estimator = RateEstimator()
        estimator.record(totalBytes: 0, at: .zero)
        estimator.record(totalBytes: 1_000_000, at: moment(1))
        estimator.skip(totalBytes: 1_000_100, to: moment(500))
        estimator.record(totalBytes: 2_000_100, at: moment(501))
        #expect(abs(estimator.bytesPerSecond(at: moment(501)) - 1_000_000) < 1)
    }

    @Test func `a falling total restarts the estimate`() {
        var estimator = RateEstimator()
        estimator.record(totalBytes: 0, at: .zero)
        estimator.record(totalBytes: 9_000_000, at: moment(1))
        estimator.record(totalBytes: 0, at: moment(1.1))
        #expect(estimator.bytesPerSecond(at: moment(1.1)) == 0)
        estimator.record(totalBytes: 1000, at: moment(2.1))
        #expect(abs(estimator.bytesPerSecond(at: moment(2.1)) - 1000) < 1)
    }

    @Test func `simultaneous samples and clocks that go backwards do no harm`() {
        var estimator = RateEstimator()
        estimator.record(totalBytes: 0, at: moment(1))
        estimator.record(totalBytes: 500, at: moment(1))
        estimator.record(totalBytes: 700, at: moment(0.5))
        estimator.record(totalBytes: 1000, at: moment(2))
        #expect(abs(estimator.bytesPerSecond(at: moment(2)) - 1000) < 1)
        estimator.record(totalBytes: .max, at: moment(3))
        #expect(estimator.bytesPerSecond(at: moment(3)).isFinite)
    }
}
