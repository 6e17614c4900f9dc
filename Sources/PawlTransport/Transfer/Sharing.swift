package import PawlCore

/// What there is to know of a transfer that may share a connection with others (HTTP/2).
package struct Sharing {
    /// How often a held transfer is looked at.
    static let holdCheck: Duration = .milliseconds(10)
    /// A held transfer may not keep others waiting, so libcurl takes its bytes off the connection,
    /// up to 32 MiB of them (7.88); beyond this its rest is better asked for again.
    static let mostKeptBytes: Int64 = 1 << 20
    /// Nothing for so long from a connection that many use is worth not to use it again.
    private static let patience: Duration = .seconds(5)

    /// Whether a connection was found, so that the request is on its way.
    private(set) var hasAsked = false
    /// Whether the connection that was found is not to be shared.
    var isRefused = false
    /// Whether bytes are shown only to be rid of them.
    var isDropping = false
    private(set) var shownBytes: Int64 = 0
    private var lastHeard = Moment.zero

    package init() {}

    package mutating func asked(at now: Moment) {
        hasAsked = true
        lastHeard = now
    }

    package mutating func heard(_ bytes: Int, at now: Moment) {
        shownBytes += Int64(bytes)
        lastHeard = now
    }

    /// Whether its connection seems dead: the request is on its way, and nothing comes.
    package func isSilent(at now: Moment) -> Bool { hasAsked && now - lastHeard >= Self.patience }
}
