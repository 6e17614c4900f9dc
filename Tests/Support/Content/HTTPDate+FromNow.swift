import Glibc
package import PawlCore

extension HTTPDate {
    /// Returns the HTTP date that is the given number of seconds from now, for `Retry-After`.
    package static func text(secondsFromNow seconds: Int64) -> String {
        HTTPDate(secondsSince1970: Int64(time(nil)) + seconds).text
    }
}
