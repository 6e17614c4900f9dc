/// The scheme of a URL from which files can be downloaded.
package enum URLScheme: String, CaseIterable, Sendable {
    case http, https
    /// FTP without TLS (RFC 959).
    case ftp
    /// FTP with TLS that is requested on the usual port (RFC 4217).
    case ftpes
    /// FTP with TLS from the start, on a separate port.
    case ftps
    /// SFTP: files over SSH.
    case sftp
    /// A file of this computer (RFC 8089).
    case file
    /// Bytes that the URL itself contains (RFC 2397).
    case data
    /// An object of a storage service with the S3 protocol; the host is the bucket.
    case s3

    /// The port if a URL names none; 0 if there is no server.
    package var usualPort: Int {
        switch self {
        case .http: 80
        case .https, .s3: 443
        case .ftp, .ftpes: 21
        case .ftps: 990
        case .sftp: 22
        case .file, .data: 0
        }
    }

    /// Whether the bytes are on this computer, so that there is no server.
    package var isLocal: Bool { self == .file || self == .data }

    /// Whether requests and responses are those of HTTP.
    package var isHTTP: Bool { self == .http || self == .https }

    /// Returns the scheme of a URL, in any case; `nil` if it is another one.
    package init?(of scheme: String?) {
        guard let scheme, let known = URLScheme(rawValue: scheme.lowercased()) else {
            return nil
        }
        self = known
    }

    /// The port that a URL with a scheme means if it names none.
    package static func usualPort(of scheme: String?) -> Int {
        URLScheme(of: scheme)?.usualPort ?? URLScheme.http.usualPort
    }

    /// The names, for messages.
    package static let names = allCases.map(\.rawValue).alternatives
}
