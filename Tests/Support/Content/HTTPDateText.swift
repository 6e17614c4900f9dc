import Glibc
import PawlCore

/// Dates as HTTP writes them (RFC 9110 §5.6.7).
package enum HTTPDateText {
    package static func text(secondsSince1970 seconds: Int) -> String {
        HTTPDate(secondsSince1970: Int64(seconds)).text
    }

    /// The date so many seconds from now, by the machine's clock: for `Retry-After`.
    package static func fromNow(seconds: Int) -> String {
        text(secondsSince1970: Int(time(nil)) + seconds)
    }
}
