import Glibc
package import PawlCore

extension HTTPDate {
    /// The text of the date that many seconds from now, by the machine's clock: for `Retry-After`.
    package static func text(secondsFromNow seconds: Int64) -> String {
        HTTPDate(secondsSince1970: Int64(time(nil)) + seconds).text
    }
}
