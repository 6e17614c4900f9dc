internal import struct FoundationEssentials.URL
internal import PawlCore
internal import Synchronization

/// Asking the user for another URL.
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

/// What the user's closure gives, waited for no longer than the library is open.
private final class RenewalAnswer: Sendable {
    private let url = Mutex<URL?>(nil)
    private let isGiven = EndSignal()

    /// Nil where it gives none, or the library is closed before.
    ///
    /// The closure is the user's own, and may take no notice of being cancelled: then nobody waits for it.
    func wait(for ask: @escaping URLRenewal, _ expired: ExpiredURL) async -> URL? {
        let asking = Task {
            // Whatever kept the user from giving one, the download's own error is the one to tell.
            let answer = try? await ask(expired)
            url.withLock { $0 = answer }
            isGiven.set()
        }
        await isGiven.wait()
        asking.cancel()
        return url.withLock { $0 }
    }
}
