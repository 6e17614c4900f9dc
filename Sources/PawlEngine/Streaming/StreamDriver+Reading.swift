package import PawlCore
internal import Synchronization

/// From the response's head to its end.
extension StreamDriver {
    package enum Piece: Sendable {
        case bytes([UInt8])
        case end
        /// The first response broke and another one replaced it.
        ///
        /// `isSame`: whether both describe the same bytes.
        case anew(isSame: Bool)
    }

    /// The part of a response that was received before it broke or stalled.
    enum Progress {
        case nothing
        /// A good head, and no byte that a reader has seen.
        case head
        /// Bytes that a reader has seen.
        case seenBytes
    }

    /// Returns the next piece of the body.
    ///
    /// If the body breaks, it is requested again unless a reader has seen part of it. `progress` is
    /// called only then, because a reader may see more until then.
    func piece(
        after progress: () -> Progress
    ) async throws(DownloadError) -> Piece {
        while true {
            let (phase, running) = state.withLock { ($0.phase, $0.running) }
            guard case .receiving = phase, let running else { return .end }
            try checkTime()
            let (news, resumes) = running.exchange.take()
            if resumes { running.transfer.resume() }
            switch news {
            case .bytes(let bytes): return .bytes(bytes)
            case .ended(let end): return try await ended(end, after: progress)
            case .nothing:
                guard await waitForNews(running) else { continue }
                try await stalled(after: progress())
                return try await beginAnew()
            }
        }
    }

    func collectPieces(limit: Int64) async throws(DownloadError) -> CollectedBody {
        // The head may have been judged before there was a limit.
        let announced = announcedBytes
        if let announced, announced > limit {
            throw Self.tooLarge("\(announced) bytes", limit: limit)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(clamping: min(announced ?? 0, Self.mostReservedBytes)))
        while true {
            switch try await piece(after: { given }) {
            case .bytes(let more):
                guard Int64(bytes.count) + Int64(more.count) <= limit else {
                    throw Self.tooLarge("more bytes", limit: limit)
                }
                bytes.append(contentsOf: more)
            case .anew: bytes = []
            case .end:
                guard let response else { throw Self.stopped }
                return CollectedBody(bytes: bytes, response: response)
            }
        }
    }

    /// What a reader who takes one piece after another has seen.
    var given: Progress {
        state.withLock { $0.hasGivenBytes } ? .seenBytes : .head
    }

    private func ended(
        _ end: TransferEnd,
        after progress: () -> Progress
    ) async throws(DownloadError) -> Piece {
        note(end)
        if case .completed = end.outcome {
            self.end(.finished)
            return .end
        }
        try checkTime()
        try await broke(Self.failure(end), after: progress())
        return try await beginAnew()
    }

    private func beginAnew() async throws(DownloadError) -> Piece {
        let before = state.withLock { state in
            defer { (state.head, state.response) = (nil, nil) }
            return state.head
        }
        _ = try await ask()
        let after = state.withLock { $0.head }
        return .anew(isSame: before.map(Self.traits) == after.map(Self.traits))
    }

    /// The fields that two responses must share to count as the same.
    private static func traits(_ head: ResponseHead) -> [String?] {
        [String(head.status)]
            + ["Content-Length", "Content-Type", "Content-Encoding", "ETag", "Last-Modified"]
            .map { head[$0] }
    }

    /// The length of the body according to the head; `nil` if it is not known.
    package var announcedBytes: Int64? {
        let (head, method) = state.withLock { ($0.head, $0.exchange.request.method) }
        guard let head, method != "HEAD", case .sound(let length) = BodyFraming(of: head) else {
            return nil
        }
        return length
    }

    package static func tooLarge(_ what: String, limit: Int64) -> DownloadError {
        DownloadError(
            .tooLarge,
            "the response has \(what), but at most \(limit) bytes may be kept in memory",
            advice: "raise the limit, read the body in pieces, or download it to a file"
        )
    }

    /// The maximum number of bytes reserved for a body: its announced length cannot be trusted.
    private static let mostReservedBytes: Int64 = 8 << 20
}

/// The complete body of a response.
package struct CollectedBody: Sendable {
    package var bytes: [UInt8]
    package var response: DownloadResponse
}
