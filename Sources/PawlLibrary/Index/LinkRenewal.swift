package import PawlCore

/// Decides whether the user is asked for a new URL when one has expired.
///
/// The user is asked once per download, and again only if the download has reached more bytes than
/// ever before since. So links that live for an hour can carry a download of a day, and nobody is
/// asked in a loop: a source that starts over each time sends bytes, too.
package struct LinkRenewal: Hashable, Sendable {
    /// The maximum number of renewals, for links that expire after a few bytes each.
    package static let most = 100

    private var asked = 0
    private var furthest: Int64 = 0

    package init() {}

    /// Whether to ask after this error.
    ///
    /// `reached` is the number of bytes of the file that are present.
    package mutating func mayAsk(after error: DownloadError, reached: Int64) -> Bool {
        guard let status = error.httpStatus, [401, 403, 410].contains(status) else { return false }
        guard asked == 0 || reached > furthest && asked < Self.most else { return false }
        asked += 1
        furthest = max(furthest, reached)
        return true
    }
}
