internal import struct FoundationEssentials.URL
internal import PawlCore
internal import Synchronization

/// Knows which bytes of one download are written at this moment: those of ended transfers, and
/// those of running ones up to their cursors.
final class ByteLedger: Sendable {
    private struct State {
        var ended = RangeSet()
        var cursors: [TransferID: TransferCursor] = [:]
        var hosts: [TransferID: String] = [:]
        var receivedBytes: Int64 = 0
    }

    private let state = Mutex(State())

    var written: RangeSet {
        state.withLock { state in
            state.cursors.values.reduce(into: state.ended) { $0.insert($1.written) }
        }
    }

    /// The number of bytes received over the network, including bytes discarded later.
    ///
    /// It never falls.
    var receivedBytes: Int64 {
        state.withLock { state in
            state.cursors.values.map(\.receivedBytes).reduce(state.receivedBytes, +)
        }
    }

    /// The written and open ranges, with the numbers of the transfers.
    var map: SegmentMap {
        state.withLock { state in
            var map = SegmentMap()
            map.written = state.ended
            for (id, cursor) in state.cursors {
                let own = cursor.written
                map.written.insert(own)
                map.segments.append(
                    SegmentMap.ConnectionRange(
                        number: id.number,
                        written: own,
                        end: cursor.end,
                        host: state.hosts[id]
                    )
                )
            }
            map.segments.sort { $0.from < $1.from }
            return map
        }
    }

    func begin(with have: RangeSet) { state.withLock { $0.ended = have } }

    /// Adds an open transfer.
    ///
    /// Readers are shown only the host of `url`.
    func opened(_ id: TransferID, _ cursor: TransferCursor, from url: URL) {
        let host = Self.shownHost(of: url)
        state.withLock { state in
            state.cursors[id] = cursor
            state.hosts[id] = host
        }
    }

    /// The host without any part of the URL that could be a secret, written as browsers do.
    private static func shownHost(of url: URL) -> String? {
        guard let host = url.shownHost else { return nil }
        let usual = URLScheme.usualPort(of: url.scheme)
        let port = url.port.flatMap { $0 == usual ? nil : ":\($0)" } ?? ""
        return (host + port).sanitized(atMost: 260)
    }

    func ended(_ id: TransferID) {
        state.withLock { state in
            guard let cursor = state.cursors.removeValue(forKey: id) else { return }
            state.ended.insert(cursor.written)
            state.receivedBytes += cursor.receivedBytes
            state.hosts[id] = nil
        }
    }

    /// Removes bytes that ended transfers have written and that are not in `kept`.
    func restrict(to kept: RangeSet) {
        state.withLock { $0.ended = $0.ended.intersection(kept) }
    }
}
