internal import struct FoundationEssentials.URL
internal import PawlCore
internal import Synchronization

/// Asks the user for another URL.
extension LibraryKeeper {
    func renew(
        _ key: StorageKey,
        _ run: LibraryIndex.RunID,
        _ error: DownloadError
    ) async {
        let (request, order) = state.withLock { state in
            (state.requests[key], state.index.entries[key]?.download?.order)
        }
        var given: URL?
        if let ask = request?.renewURL ?? configuration.renewURL, let url = order?.url {
            let expired = ExpiredURL(key: key, url: url, status: error.httpStatus ?? 0)
            given = await RenewalAnswer().wait(for: ask, expired)
        }
        handle(.urlGiven(key, run, given))
    }
}

/// The answer of the user's closure.
///
/// The wait ends when the library is closed.
private final class RenewalAnswer: Sendable {
    private let url = Mutex<URL?>(nil)
    private let isGiven = EndSignal()

    /// Waits for the answer.
    ///
    /// Returns `nil` if there is none, or if the library is closed first.
    ///
    /// The user's closure may ignore a cancellation; then nobody waits for it.
    func wait(for ask: @escaping URLRenewal, _ expired: ExpiredURL) async -> URL? {
        let asking = Task {
            // Whatever the closure's error is, the download's own error is the one to report.
            let answer = try? await ask(expired)
            url.withLock { $0 = answer }
            isGiven.set()
        }
        await isGiven.wait()
        asking.cancel()
        return url.withLock { $0 }
    }
}
