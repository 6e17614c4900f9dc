internal import Synchronization

/// The cookies that servers have set (RFC 6265), in memory.
///
/// Transfers with the same jar share its cookies, and no other transfer has them. A cookie belongs
/// to a host, not to one of its ports (RFC 6265 §8.5).
package final class CookieJar: Sendable {
    /// The cookies of a jar at one moment.
    package struct Contents: Sendable {
        /// A number that differs from that of all other contents of this process.
        package let revision: Int
        package let lines: [String]
    }

    private struct State {
        var revision: Int
        /// The cookies, oldest first.
        var cookies: [CookieLine] = []
        var observer: (@Sendable () -> Void)?
    }

    /// The number of cookies that a client should at least be able to keep (RFC 6265 §6.1).
    private static let domainLimit = 50
    private static let limit = 3_000
    private static let revisions = Atomic<Int>(0)

    private let state: Mutex<State>

    /// Creates a jar with the given cookies, the oldest first.
    package init(_ cookies: [CookieLine] = []) {
        state = Mutex(State(revision: Self.nextRevision, cookies: Self.newest(of: cookies)))
    }

    package var contents: Contents {
        state.withLock { Contents(revision: $0.revision, lines: $0.cookies.map(\.text)) }
    }

    /// The cookies, the oldest first.
    package var cookies: [CookieLine] { state.withLock { $0.cookies } }

    /// Calls the closure after each change, on the thread that made it.
    package func observe(_ observer: @escaping @Sendable () -> Void) {
        state.withLock { $0.observer = observer }
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
        let new = kept.filter { !before.contains($0) }.compactMap { CookieLine($0) }
        let old = sent.filter { !after.contains($0) }.compactMap { CookieLine($0) }
        let gone = Set(old.map(\.key)).union(new.map(\.key))
        let known = Dictionary(old.map { ($0.key, $0) }) { _, last in last }
        let observer = state.withLock { state in
            let present = Set(state.cookies.map(\.key))
            // A line that was only written in another way does not restore a deleted cookie.
            let given = new.filter { cookie in
                present.contains(cookie.key) || known[cookie.key]?.isSame(as: cookie) != true
            }
            state.cookies.removeAll { gone.contains($0.key) }
            state.cookies = Self.newest(of: state.cookies + given)
            state.revision = Self.nextRevision
            return state.observer
        }
        observer?()
    }

    /// Sets a cookie in place of the one with its key.
    package func set(_ cookie: CookieLine) {
        let observer = state.withLock { state in
            state.cookies.removeAll { $0.key == cookie.key }
            state.cookies = Self.newest(of: state.cookies + [cookie])
            state.revision = Self.nextRevision
            return state.observer
        }
        observer?()
    }

    /// Removes cookies; returns how many there were.
    @discardableResult
    package func remove(_ keys: Set<CookieLine.Key>) -> Int {
        let (removed, observer) = state.withLock { state in
            let before = state.cookies.count
            state.cookies.removeAll { keys.contains($0.key) }
            let removed = before - state.cookies.count
            if removed > 0 { state.revision = Self.nextRevision }
            return (removed, state.observer)
        }
        if removed > 0 { observer?() }
        return removed
    }

    private static func newest(of cookies: [CookieLine]) -> [CookieLine] {
        var counts: [String: Int] = [:]
        let kept = cookies.reversed().filter { cookie in
            counts[cookie.key.domain, default: 0] += 1
            return counts[cookie.key.domain, default: 0] <= domainLimit
        }
        return kept.prefix(limit).reversed()
    }

    private static var nextRevision: Int { revisions.add(1, ordering: .relaxed).newValue }
}
