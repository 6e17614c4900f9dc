/// Decides how a complete file with a wrong digest is repaired: which bytes are fetched again, and
/// from which sources.
package struct RepairPlanner: Sendable {
    package enum Step: Hashable, Sendable {
        /// Fetches the wrong pieces again, without the sources that have sent them.
        case fetchAgain(without: [Int])
        /// Fetches the whole file again, without these sources.
        case startOver(without: [Int])
        /// Fetches the whole file again from one source, because nothing shows which of several
        /// sources has sent wrong bytes.
        case startOverFrom(Int)
        /// Fails, because no attempt is left, or no other source.
        case fail
    }

    /// The number of attempts that give up no source.
    private static let mostAttempts = 3
    private let mayDropBytes: Bool
    private var attempts = 0
    /// The bytes that each source has sent in this run.
    private var sent: [Int: RangeSet] = [:]

    /// - Parameter mayDropBytes: Whether the bytes may be dropped; those of another tool may not.
    package init(mayDropBytes: Bool = true) { self.mayDropBytes = mayDropBytes }

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
    ///   - wrong: The pieces that are known to be wrong; empty if it is not known which part is.
    ///   - usable: The sources that could be used.
    package mutating func differed(
        wrong: [ByteRange],
        total: Int64,
        usable: [Int]
    ) -> Step {
        let step = wrong.isEmpty ? startOver(total, usable) : fetchAgain(wrong, usable)
        switch step {
        case .fetchAgain(without: []), .startOverFrom: attempts += 1
        // With each attempt, there are fewer sources.
        case .fetchAgain, .startOver, .fail: return step
        }
        return attempts > Self.mostAttempts ? .fail : step
    }

    private func startOver(_ total: Int64, _ usable: [Int]) -> Step {
        guard mayDropBytes, usable.count > 1 else { return .fail }
        let senders = usable.filter { sent[$0] != nil }
        if senders.count == 1, sent[senders[0]] == RangeSet(ByteRange(0, total)) {
            return .startOver(without: senders)
        }
        // Bytes of an earlier run may be of any source: another one than that of this run may not
        // have sent them.
        let other = usable.first { !senders.contains($0) }
        return .startOverFrom(senders.count == 1 ? other ?? senders[0] : senders.first ?? usable[0])
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
