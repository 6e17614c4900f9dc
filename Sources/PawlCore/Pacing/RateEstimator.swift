#if canImport(Glibc)
internal import func Glibc.exp
#else
internal import func Darwin.exp
#endif

/// A smoothed speed: an average of the received bytes in which older bytes count exponentially
/// less.
///
/// Samples may be any time apart. The average is divided by its accumulated weight, so that it is
/// correct from the second sample on and not biased to zero.
package struct RateEstimator: Sendable {
    private let timeConstant: Double
    private var last: (moment: Moment, bytes: Int64)?
    private var average = 0.0
    private var weight = 0.0

    package init(timeConstant: Duration = .seconds(2)) {
        self.timeConstant = max(1e-3, timeConstant.seconds)
    }

    /// Records the total number of bytes received so far.
    ///
    /// A lower total, when the file is fetched again, starts a new average.
    package mutating func record(totalBytes: Int64, at moment: Moment) {
        guard let last, totalBytes >= last.bytes else {
            (average, weight) = (0, 0)
            last = (moment, totalBytes)
            return
        }
        // If two samples have the same time, the bytes count with the next one.
        let elapsed = (moment - last.moment).seconds
        guard elapsed > 0 else { return }
        let kept = exp(-elapsed / timeConstant)
        let rate = (Double(totalBytes) - Double(last.bytes)) / elapsed
        average = average * kept + rate * (1 - kept)
        weight = weight * kept + (1 - kept)
        self.last = (moment, totalBytes)
    }

    /// Whether two samples have been recorded, so that there is a speed.
    package var isKnown: Bool { weight > 0 }

    /// Excludes the time since the last sample, in which no bytes were expected.
    package mutating func skip(totalBytes: Int64, to moment: Moment) {
        last = (moment, totalBytes)
    }

    /// Returns the bytes per second at `moment`.
    ///
    /// The value falls while no sample is recorded.
    package func bytesPerSecond(at moment: Moment) -> Double {
        guard let last, weight > 0 else { return 0 }
        let kept = exp(-max(0, (moment - last.moment).seconds) / timeConstant)
        let rate = average * kept / (weight * kept + (1 - kept))
        return rate < 0.5 ? 0 : rate
    }
}
