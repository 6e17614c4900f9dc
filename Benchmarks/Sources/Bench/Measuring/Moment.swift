internal import CBench
internal import Glibc

/// A moment of CLOCK_MONOTONIC, which all processes of the machine share.
struct Moment: Comparable, Sendable {
    var nanoseconds: Int64

    static var now: Moment {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Moment(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

    func seconds(since other: Moment) -> Double {
        Double(nanoseconds - other.nanoseconds) / 1_000_000_000
    }

    func advanced(bySeconds seconds: Double) -> Moment {
        Moment(nanoseconds: nanoseconds + Int64(seconds * 1_000_000_000))
    }

    /// Blocks this thread until then.
    func wait() {
        var time = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000),
            tv_nsec: Int(nanoseconds % 1_000_000_000)
        )
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
    }
}
