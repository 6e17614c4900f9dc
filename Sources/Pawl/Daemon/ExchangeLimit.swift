internal import PawlCore
internal import PawlEngine

/// The time limits of a request to a daemon over TCP: another server may answer there, slowly and
/// without an end.
struct ExchangeLimit: Sendable {
    /// The maximum time until the head of the response arrives, and then for each MiB of its body.
    let longest: Duration
    /// The maximum length of the body in bytes.
    let mostBytes: Int64

    /// Returns the response to a request.
    ///
    /// Throws `.timedOut` if its head takes too long.
    func response(
        to request: DownloadRequest,
        in session: DownloadSession
    ) async throws(DownloadError) -> DataStream {
        let result = await withTaskGroup(of: Result<DataStream, DownloadError>?.self) { group in
            group.addTask {
                do throws(DownloadError) {
                    return .success(try await session.bytes(for: request))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                // A cancelled sleep ends early.
                try? await Task.sleep(for: longest)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            // The response may have arrived at the last moment.
            for await other in group where first == nil {
                if case .success(let stream)? = other { stream.cancel() }
            }
            return first
        }
        if let result { return try result.get() }
        throw Task.isCancelled ? CancellationToken.cancelled : Self.tooLate
    }

    /// Returns the body of a response.
    ///
    /// Throws `.timedOut` if it arrives too slowly, and `.tooLarge` if it is too long.
    func body(of stream: DataStream) async throws(DownloadError) -> [UInt8] {
        var pace = ResponsePace(longest, at: .now)
        var bytes: [UInt8] = []
        for try await piece in stream {
            guard pace.received(piece.count, at: .now) else { throw Self.tooLate }
            guard Int64(bytes.count + piece.count) <= mostBytes else {
                throw StreamDriver.tooLarge("more bytes", limit: mostBytes)
            }
            bytes += piece
        }
        return bytes
    }

    private static let tooLate = DownloadError(.timedOut, "the response takes too long")
}
