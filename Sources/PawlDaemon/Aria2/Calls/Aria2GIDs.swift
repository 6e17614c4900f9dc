internal import PawlCore
internal import Synchronization

/// Converts between the ids of downloads and aria2's GIDs.
///
/// A GID is 16 digits in base 16. By default it is the id, mixed reversibly with the identity of
/// the queue, so it is valid as long as the download exists, and is not stored. The mixing is that
/// of SplitMix64. A client may also choose the GID of a new download, which is stored with it.
package final class Aria2GIDs: Sendable {
    private struct State {
        var chosen: [Int64: UInt64] = [:]
        var ids: [UInt64: Int64] = [:]
        /// The number of chosen GIDs at which those of removed downloads are forgotten.
        var most = leastMost
    }

    private let key: UInt64
    private let state = Mutex(State())

    private static let digits = 16
    private static let leastMost = 1000
    private static let factors: (UInt64, UInt64) = (0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB)
    /// The inverses of the factors modulo 2^64.
    private static let inverses: (UInt64, UInt64) = (
        0x96DE_1B17_3F11_9089, 0x3196_42B2_D24D_8EC3
    )
    /// Ids of later downloads are lower.
    private static let mostID: Int64 = 1 << 40

    package init(identity: String?) {
        key = identity.flatMap { UInt64($0.prefix(Self.digits), radix: 16) } ?? 0
    }

    // MARK: - Texts

    /// Returns a GID in lower case; `nil` unless the text has 16 digits, not all of them 0.
    package static func normalized(_ text: String) -> String? {
        guard text.utf8.count == digits, let number = number(text), number != 0 else { return nil }
        return number.hexadecimal
    }

    /// Whether the text may be the beginning of a GID.
    package static func isPrefix(_ text: String) -> Bool {
        (1...digits).contains(text.utf8.count) && number(text) != nil
    }

    private static func number(_ text: String) -> UInt64? {
        // The initializer would accept a sign.
        text.allSatisfy(\.isHexDigit) ? UInt64(text, radix: 16) : nil
    }

    // MARK: - Conversions

    package func gid(of id: Int64) -> String { number(of: id).hexadecimal }

    private func number(of id: Int64) -> UInt64 {
        state.withLock { $0.chosen[id] } ?? mixed(id)
    }

    /// Returns the id of a GID, whether or not there is such a download; `nil` if the text is no
    /// GID.
    package func id(of gid: String) -> Int64? {
        guard gid.utf8.count == Self.digits, let number = Self.number(gid) else { return nil }
        return state.withLock { $0.ids[number] } ?? unmixed(number)
    }

    /// Returns up to two of the ids whose GIDs begin with these digits.
    package func ids(_ ids: [Int64], withPrefix prefix: String) -> [Int64] {
        guard Self.isPrefix(prefix), let number = Self.number(prefix) else { return [] }
        let shift = 4 * (Self.digits - prefix.utf8.count)
        let chosen = state.withLock { $0.chosen }
        var found: [Int64] = []
        for id in ids where (chosen[id] ?? mixed(id)) >> shift == number {
            found.append(id)
            if found.count == 2 { break }
        }
        return found
    }

    private func mixed(_ id: Int64) -> UInt64 {
        var mixed = UInt64(bitPattern: id) ^ key
        mixed = (mixed ^ mixed >> 30) &* Self.factors.0
        mixed = (mixed ^ mixed >> 27) &* Self.factors.1
        return mixed ^ mixed >> 31
    }

    private func unmixed(_ number: UInt64) -> Int64 {
        var mixed = number
        mixed = (mixed ^ mixed >> 31 ^ mixed >> 62) &* Self.inverses.1
        mixed = (mixed ^ mixed >> 27 ^ mixed >> 54) &* Self.inverses.0
        return Int64(bitPattern: (mixed ^ mixed >> 30 ^ mixed >> 60) ^ key)
    }

    // MARK: - Chosen GIDs

    /// Throws `.conflict` if a download has this GID, or if a later one may get it.
    func checkIsFree(_ gid: String, _ transaction: StoreTransaction) throws {
        let isFull = state.withLock { $0.chosen.count >= $0.most }
        if isFull { load(try transaction.gids.all()) }
        let usual = Self.number(gid).map(unmixed) ?? 0
        let last = try transaction.downloads.lastID()
        guard try transaction.gids.download(of: gid) == nil,
            try transaction.downloads.find(usual) == nil,
            usual <= last || usual > Self.mostID
        else { throw DownloadError(.conflict, "GID \(gid) is not unique.") }
    }

    /// Records the GIDs that were chosen, by id, in place of those that are known.
    package func load(_ gids: [Int64: String]) {
        let chosen = gids.compactMapValues(Self.number)
        state.withLock { state in
            state.chosen = chosen
            state.ids = [:]
            for (id, number) in chosen { state.ids[number] = id }
            state.most = max(Self.leastMost, 2 * chosen.count)
        }
    }

    package func choose(_ gid: String, for id: Int64) {
        guard let number = Self.number(gid) else { return }
        state.withLock { state in
            // The download that had the GID before does no longer exist.
            if let before = state.ids[number] { state.chosen[before] = nil }
            state.chosen[id] = number
            state.ids[number] = id
        }
    }
}
