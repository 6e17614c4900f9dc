package import struct FoundationEssentials.Date

/// A request that changed something, or that was refused: a line of the audit log.
///
/// It contains no URL, no header field and no body.
package struct AuditEntry: Codable, Sendable, Hashable {
    /// Who made a request.
    package enum Who: String, Codable, Sendable {
        /// A program of the user at the Unix socket.
        case socket
        /// A browser that has logged in with a code.
        case page
        /// A program with a token, or a browser that has logged in with it.
        case token
        /// A client over TCP without a valid token or cookie.
        case nobody
    }

    package var time: Date
    package var who: Who
    /// The name of the token; `nil` for others.
    package var token: String?
    /// The address of the client; `nil` at the socket, or if it is unknown.
    package var client: String?
    /// The method and path, such as `POST /v1/downloads`, or a method of aria2's RPC.
    package var request: String
    /// The ids of the first downloads that it concerned; `nil` if there are none.
    package var downloads: [Int64]?
    /// The number of downloads that it concerned; `nil` if there are none.
    package var count: Int?
    /// The status of the response.
    package var status: Int
    /// The number of requests of clients without a token that were left out since the last line of
    /// such a client.
    package var omitted: Int?

    /// The maximum number of ids in a line.
    package static let mostDownloads = 20

    package init(
        time: Date,
        who: Who,
        token: String? = nil,
        request: String,
        status: Int
    ) {
        (self.time, self.who, self.token) = (time, who, token)
        (self.request, self.status) = (request, status)
    }

    /// Returns the entries in lines of the log; a line that was cut off by a full disk is left out.
    package static func all(in lines: [Substring]) -> [AuditEntry] {
        lines.compactMap { try? WireJSON.decode(AuditEntry.self, from: $0.utf8) }
    }

    /// Records the downloads that the request concerned.
    package mutating func note(_ ids: [Int64]) {
        guard !ids.isEmpty else { return }
        (downloads, count) = (Array(ids.prefix(Self.mostDownloads)), ids.count)
    }
}
