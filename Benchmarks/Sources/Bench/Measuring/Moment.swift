internal import CBench
internal import Glibc

/// A time of CLOCK_MONOTONIC, which all processes of the machine share.
struct Moment: Comparable, Sendable {
    var nanoseconds: Int64

    static var now: Moment {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Moment(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// The date in UTC, as YYYY-MM-DD.
    static var today: String {
        var seconds = time(nil)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 16)
        let count = strftime(&text, text.count, "%Y-%m-%d", &parts)
        return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

    func seconds(since other: Moment) -> Double {
        Double(nanoseconds - other.nanoseconds) / 1_000_000_000
    }

    func advanced(bySeconds seconds: Double) -> Moment {
        Moment(nanoseconds: nanoseconds + Int64(seconds * 1_000_000_000))
    }

    /// Blocks the calling thread until this time.
    func wait() {
        var time = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000),
            tv_nsec: Int(nanoseconds % 1_000_000_000)
        )
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
    }
}
