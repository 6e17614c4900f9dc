package import PawlCore

/// The state of a transfer that may share its connection with others (HTTP/2).
package struct Sharing {
    /// The interval at which a held transfer is checked.
    static let holdCheck: Duration = .milliseconds(10)
    /// The maximum number of bytes that libcurl may keep for a held transfer.
    ///
    /// Because a held transfer must not block others, libcurl reads its bytes off the connection,
    /// up to 32 MiB (7.88). Beyond this limit it is better to request the rest again.
    static let mostKeptBytes: Int64 = 1 << 20
    /// The time without any bytes after which a connection that many use is not used again.
    private static let timeout: Duration = .seconds(5)

    /// Whether a connection was found, so that the request is on its way.
    private(set) var hasAsked = false
    /// Whether the connection that was found must not be shared.
    var isRefused = false
    /// Whether bytes are passed on only to discard them.
    var isDropping = false
    private(set) var shownBytes: Int64 = 0
    private var lastReceived = Moment.zero

    package init() {}

    package mutating func asked(at now: Moment) {
        hasAsked = true
        lastReceived = now
    }

    package mutating func received(_ bytes: Int, at now: Moment) {
        shownBytes += Int64(bytes)
        lastReceived = now
    }

    /// Whether the connection seems dead: the request is on its way, and nothing arrives.
    package func isSilent(at now: Moment) -> Bool { hasAsked && now - lastReceived >= Self.timeout }
}
