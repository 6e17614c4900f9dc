public import Pawl

#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

extension Cookie {
    /// Creates a cookie from one of Foundation.
    ///
    /// Its version, comment, port list and SameSite policy are left out. On Linux, Foundation
    /// ignores `Max-Age` in a `Set-Cookie` field, and so does this.
    ///
    /// - Throws: `DownloadError` with the code `.usage` if a part of the cookie cannot be sent.
    public init(_ cookie: HTTPCookie) throws(DownloadError) {
        try self.init(
            cookie.name,
            value: cookie.value,
            domain: cookie.domain,
            path: cookie.path.isEmpty ? "/" : cookie.path,
            expiryDate: cookie.expiresDate
        )
        isSecure = cookie.isSecure
        isHTTPOnly = cookie.isHTTPOnly
    }
}

extension HTTPCookie {
    /// Creates Foundation's form of a cookie.
    ///
    /// As usual there, the domain begins with a dot if the hosts below it receive the cookie. It is
    /// `nil` if Foundation does not accept the cookie.
    public convenience init?(_ cookie: Cookie) {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: cookie.name,
            .value: cookie.value,
            .domain: (cookie.includesSubdomains ? "." : "") + cookie.domain,
            .path: cookie.path,
        ]
        if cookie.isSecure { properties[.secure] = "TRUE" }
        if cookie.isHTTPOnly { properties[HTTPCookiePropertyKey(rawValue: "HttpOnly")] = "TRUE" }
        if let date = cookie.expiryDate {
            properties[.expires] = date
        } else {
            properties[.discard] = "TRUE"
        }
        self.init(properties: properties)
    }
}
