#if canImport(Glibc)
internal import func Glibc.exp
#else
internal import func Darwin.exp
#endif

/// A smoothed speed: an average of what came, older bytes counting exponentially less.
///
/// Samples may come at any distance. The average is divided by the weight that it has gathered, so
/// that it is right from the second sample on and not drawn to zero.
package struct RateEstimator: Sendable {
    private let timeConstant: Double
    private var last: (moment: Moment, bytes: Int64)?
    private var average = 0.0
    private var weight = 0.0

    package init(timeConstant: Duration = .seconds(2)) {
        self.timeConstant = max(1e-3, timeConstant.seconds)
    }

    /// Takes the bytes that have come so far.
    ///
    /// A total that falls (the file is fetched anew) begins a new average.
    package mutating func record(totalBytes: Int64, at moment: Moment) {
        guard let last, totalBytes >= last.bytes else {
            (average, weight) = (0, 0)
            last = (moment, totalBytes)
            return
        }
        // Two samples of one instant: the bytes count with the next.
        let elapsed = (moment - last.moment).seconds
        guard elapsed > 0 else { return }
        let kept = exp(-elapsed / timeConstant)
        let rate = (Double(totalBytes) - Double(last.bytes)) / elapsed
        average = average * kept + rate * (1 - kept)
        weight = weight * kept + (1 - kept)
        self.last = (moment, totalBytes)
    }

    /// Leaves out the time since the last sample: nothing was to come.
    package mutating func skip(totalBytes: Int64, to moment: Moment) {
        last = (moment, totalBytes)
    }

    /// Bytes a second as of `moment`: falls while no sample comes, as if nothing had come.
    package func bytesPerSecond(at moment: Moment) -> Double {
        guard let last, weight > 0 else { return 0 }
        let kept = exp(-max(0, (moment - last.moment).seconds) / timeConstant)
        let rate = average * kept / (weight * kept + (1 - kept))
        return rate < 0.5 ? 0 : rate
    }
}
