public import struct FoundationEssentials.Date
public import struct FoundationEssentials.URL
public import PawlCore

/// Reads, sets and deletes the session's cookies.
extension DownloadSession {
    /// The session's cookies that have not expired, the oldest first.
    ///
    /// There are none with the policy ``CookiePolicy/none``. With ``CookiePolicy/file(_:)``, they are
    /// the cookies that the file contained when the session was created, with the changes that the
    /// session has made since. To read a file, create a session without tasks. Cookies of a file or
    /// a browser that ``ConnectionSettings`` name are not among them, nor are the cookies of
    /// background downloads, which the daemon keeps.
    public var cookies: [Cookie] {
        let now = Int64(Date().timeIntervalSince1970)
        return cookieJar?.cookies.filter { !$0.hasExpired(at: now) }.map(Cookie.init) ?? []
    }

    /// Returns the session's cookies that a request for a URL carries, the oldest first.
    public func cookies(for url: URL) -> [Cookie] { cookies.filter { $0.applies(to: url) } }

    /// Sets a cookie in place of the one with its name, domain, path and
    /// ``Cookie/includesSubdomains``; returns whether the session keeps cookies.
    ///
    /// Requests that begin later carry it. With ``CookiePolicy/file(_:)``, a cookie with an expiry
    /// date is written to the file, too, within three seconds, or when the session ends. With
    /// ``CookiePolicy/none``, nothing happens. Background downloads do not carry it.
    @discardableResult
    public func setCookie(_ cookie: Cookie) -> Bool {
        guard let cookieJar, let line = cookie.line else { return false }
        cookieJar.set(line)
        return true
    }

    /// Deletes a cookie, whatever its value is by now; returns whether it existed.
    ///
    /// Requests that begin later do not carry it. With ``CookiePolicy/file(_:)``, it is removed from
    /// the file, too, within three seconds, or when the session ends.
    @discardableResult
    public func deleteCookie(_ cookie: Cookie) -> Bool {
        cookieJar?.remove([cookie.key]) ?? 0 > 0
    }

    /// Deletes the cookies that meet a condition; returns those that it has deleted.
    ///
    /// ```swift
    /// session.deleteCookies { $0.domain == "example.org" }
    /// ```
    @discardableResult
    public func deleteCookies(where isDeleted: (Cookie) throws -> Bool) rethrows -> [Cookie] {
        let deleted = try cookies.filter(isDeleted)
        cookieJar?.remove(Set(deleted.map(\.key)))
        return deleted
    }
}
