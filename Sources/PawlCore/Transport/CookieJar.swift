internal import Synchronization

/// The cookies that servers have set (RFC 6265), in memory.
///
/// Transfers with the same jar share its cookies, and no other transfer has them. A cookie belongs
/// to a host, not to one of its ports (RFC 6265 §8.5). Each cookie is a line of Netscape's cookie
/// file, which libcurl reads and writes, with these fields separated by tabs: domain, whether
/// subdomains receive it, path, whether it needs TLS, when it expires, name, value.
package final class CookieJar: Sendable {
    /// The cookies of a jar at one moment.
    package struct Contents: Sendable {
        /// A number that differs from that of all other contents of this process.
        package let revision: Int
        package let lines: [String]
    }

    private struct Key: Hashable {
        let domain: Substring
        let path: Substring
        let name: Substring

        /// Returns `nil` if the line is not a cookie.
        init?(line: String) {
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard parts.count >= 6 else { return nil }
            let mark = "#HttpOnly_"
            domain = parts[0].hasPrefix(mark) ? parts[0].dropFirst(mark.count) : parts[0]
            path = parts[2]
            name = parts[5]
        }
    }

    private typealias Cookie = (key: Key, line: String)

    private struct State {
        var revision: Int
        /// The cookies, oldest first.
        var cookies: [Cookie] = []
    }

    /// The number of cookies that a client should at least be able to keep (RFC 6265 §6.1).
    private static let domainLimit = 50
    private static let limit = 3_000
    private static let revisions = Atomic<Int>(0)

    private let state: Mutex<State>

    /// Creates an empty jar.
    package init() { state = Mutex(State(revision: Self.nextRevision)) }

    package var contents: Contents {
        state.withLock { Contents(revision: $0.revision, lines: $0.cookies.map(\.line)) }
    }

    /// Whether the jar still has these contents.
    package func has(revision: Int?) -> Bool { state.withLock { $0.revision == revision } }

    /// Applies a server's changes to the cookies: `sent` became `kept`.
    ///
    /// Other transfers may have changed other cookies meanwhile. If there are too many cookies, the
    /// oldest are dropped.
    package func change(_ sent: [String], to kept: [String]) {
        let (before, after) = (Set(sent), Set(kept))
        guard before != after else { return }
        let new = kept.filter { !before.contains($0) }.compactMap { line in
            Key(line: line).map { (key: $0, line: line) }
        }
        let gone = Set(sent.filter { !after.contains($0) }.compactMap(Key.init(line:)))
            .union(new.map(\.key))
        state.withLock { state in
            state.cookies.removeAll { gone.contains($0.key) }
            state.cookies = Self.newest(of: state.cookies + new)
            state.revision = Self.nextRevision
        }
    }

    private static func newest(of cookies: [Cookie]) -> [Cookie] {
        var counts: [Substring: Int] = [:]
        let kept = cookies.reversed().filter { cookie in
            counts[cookie.key.domain, default: 0] += 1
            return counts[cookie.key.domain, default: 0] <= domainLimit
        }
        return kept.prefix(limit).reversed()
    }

    private static var nextRevision: Int { revisions.add(1, ordering: .relaxed).newValue }
}
