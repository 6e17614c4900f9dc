/// What a session does with the cookies that servers set (RFC 6265).
///
/// A `Cookie` field of a request is sent in addition to the session's cookies. A program reads the
/// session's cookies with ``DownloadSession/cookies``, sets one with
/// ``DownloadSession/setCookie(_:)``, and deletes them with ``DownloadSession/deleteCookie(_:)`` and
/// ``DownloadSession/deleteCookies(where:)``.
public enum CookiePolicy: Sendable, Hashable {
    /// The session keeps no cookies.
    case none
    /// The session keeps cookies in memory, and removes them with itself.
    ///
    /// Other sessions have their own.
    case session
    /// The session also keeps cookies in the file of this path, for later sessions.
    ///
    /// The file has Netscape's format, which curl, wget and many other programs read and write. A
    /// session reads it when it is created, and writes it when a cookie has changed, at most every
    /// three seconds, and when the session ends: before it reports to the delegate that it is
    /// invalid. The file is replaced as a whole, and then only its owner may read it. Its folder
    /// must exist, and should be the user's own, because each write locks it for a moment. Cookies
    /// without an expiry date are sent, but never written, and expired ones are removed.
    ///
    /// Several sessions and processes may have the same file. Each writes only its own changes; if
    /// two change the same cookie, the last one wins. A session does not see what others write
    /// after its start.
    ///
    /// If the file cannot be read or written, the session logs a warning and keeps the cookies in
    /// memory. A file that cannot be read is not overwritten.
    case file(String)
}
