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
            given = await Self.answer(of: ask, expired)
        }
        handle(.urlGiven(key, run, given))
    }

    /// The URL that the user's closure returns, or `nil` if it returns none or the library is closed first.
    ///
    /// The closure may ignore its cancellation, so nothing waits for it after that.
    private static func answer(of ask: @escaping URLRenewal, _ expired: ExpiredURL) async -> URL? {
        let answer = Completion<URL?>()
        let asking = Task {
            // Whatever error the closure throws, the error to report is the download's own.
            answer.complete(with: try? await ask(expired))
        }
        let url = await answer.wait()
        asking.cancel()
        return url ?? nil
    }
}
