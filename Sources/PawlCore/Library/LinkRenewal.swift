/// Whether the user is asked for a new URL when one has expired.
///
/// Once for a download; again only where it has come further than ever before since, so that links which
/// live for an hour carry a download of a day, and nobody is asked in a circle: a source that begins anew
/// each time brings bytes, too.
package struct LinkRenewal: Hashable, Sendable {
    /// Links that are void after a few bytes bring a little each time.
    package static let most = 100

    private var asked = 0
    private var furthest: Int64 = 0

    package init() {}

    /// `reached`: how many bytes of the file are there.
    package mutating func mayAsk(after error: DownloadError, reached: Int64) -> Bool {
        guard let status = error.httpStatus, [401, 403, 410].contains(status) else { return false }
        guard asked == 0 || reached > furthest && asked < Self.most else { return false }
        asked += 1
        furthest = max(furthest, reached)
        return true
    }
}
