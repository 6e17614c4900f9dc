/// Whether the user is asked for a new URL when one has expired.
///
/// Once for a download; again only where the URL that was given has brought bytes since, so that links
/// which live for an hour carry a download of a day, and nobody is asked in a circle.
package struct LinkRenewal: Hashable, Sendable {
    private var wasAsked = false

    package init() {}

    /// `brought`: whether bytes came since the last answer.
    package mutating func mayAsk(after error: DownloadError, brought: Bool) -> Bool {
        guard let status = error.httpStatus, [401, 403, 410].contains(status) else { return false }
        guard !wasAsked || brought else { return false }
        wasAsked = true
        return true
    }
}
