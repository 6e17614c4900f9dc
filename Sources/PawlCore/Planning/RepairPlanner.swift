/// Decides how a complete file with a wrong digest is repaired: which bytes are fetched again, and
/// from which sources.
package struct RepairPlanner: Sendable {
    package enum Step: Hashable, Sendable {
        /// Fetches the wrong pieces again, without the sources that have sent them.
        case fetchAgain(without: [Int])
        /// Fetches the whole file again, without these sources.
        case startOver(without: [Int])
        /// Fetches the whole file again from one source, because nothing tells which of several
        /// sources has sent wrong bytes.
        case startOverFrom(Int)
        /// Fails, because no attempt is left, or no other source.
        case fail
    }

    private static let mostAttempts = 4
    private var attempts = 0
    /// The bytes that each source has sent in this run.
    private var sent: [Int: RangeSet] = [:]

    package init() {}

    /// Notes bytes that a source has sent.
    package mutating func received(_ range: ByteRange, from source: Int) {
        guard !range.isEmpty else { return }
        sent[source, default: RangeSet()].insert(range)
    }

    /// Notes that all bytes are dropped.
    package mutating func startedOver() { sent = [:] }

    /// Returns what to do about a complete file that is wrong.
    ///
    /// - Parameters:
    ///   - wrong: The pieces that are known to be wrong; empty if nothing tells which part is.
    ///   - usable: The sources that could be used.
    package mutating func differed(wrong: [ByteRange], total: Int64, usable: [Int]) -> Step {
        attempts += 1
        guard attempts < Self.mostAttempts else { return .fail }
        guard wrong.isEmpty else { return fetchAgain(wrong, usable) }
        let senders = usable.filter { sent[$0] != nil }
        guard senders.count < 2 else { return .startOverFrom(senders[0]) }
        // Bytes of an earlier run may be of any source.
        let isWhole = senders.contains { sent[$0] == RangeSet(ByteRange(0, total)) }
        return isWhole && usable.count > 1 ? .startOver(without: senders) : .fail
    }

    private mutating func fetchAgain(_ wrong: [ByteRange], _ usable: [Int]) -> Step {
        let blamed = Set(wrong.compactMap(onlySender)).sorted()
        for source in sent.keys {
            for piece in wrong { sent[source]?.remove(piece) }
        }
        // The only source is asked again: the network or the disk may have damaged the bytes.
        let hasOthers = usable.contains { !blamed.contains($0) }
        return .fetchAgain(without: hasOthers ? blamed : [])
    }

    /// Returns the source that has sent all bytes of a piece, if no other has sent any.
    private func onlySender(of piece: ByteRange) -> Int? {
        let senders = sent.filter { !$0.value.intersection(RangeSet(piece)).isEmpty }
        guard senders.count == 1, let (source, bytes) = senders.first, bytes.contains(piece) else {
            return nil
        }
        return source
    }
}

extension TransferPlanner {
    /// Stops using sources that have sent bytes with a wrong digest.
    mutating func sentWrongBytes(_ senders: [Int]) {
        for source in senders {
            let error = DownloadError(
                .checksumMismatch,
                "\(sources[source].host) sent bytes with a wrong checksum",
                advice: "try another URL for the file"
            )
            giveUp(source, error)
        }
    }
}
