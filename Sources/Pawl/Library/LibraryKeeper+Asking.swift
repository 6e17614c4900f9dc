internal import PawlCore
internal import PawlStorage
internal import Synchronization

/// Requests for files, and waiting for them.
extension LibraryKeeper {
    /// Starts the download if necessary, and waits for the file.
    func file(
        _ key: StorageKey,
        _ request: LibraryRequest
    ) async -> Result<KnownFile, DownloadError> {
        let token = state.withLock { state in
            state.lastToken += 1
            return state.lastToken
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { enter(key, request, token, $0) }
        } onCancel: {
            leave(key, token)
        }
    }

    /// Starts the download if necessary.
    func begin(_ key: StorageKey, _ request: LibraryRequest) throws(DownloadError) {
        let answer = state.withLock { state in ask(key, request, waits: false, &state) }
        if case .failure(let error) = answer { throw error }
    }

    private func enter(
        _ key: StorageKey,
        _ request: LibraryRequest,
        _ token: UInt64,
        _ waiter: Waiter
    ) {
        let answer = state.withLock { state -> Result<KnownFile, DownloadError>? in
            // The flag is set before the handler runs, so either it is seen here, or the handler
            // finds the waiting caller.
            guard !Task.isCancelled else { return .failure(Self.left) }
            let answer = ask(key, request, waits: true, &state)
            if answer == nil { state.waiters[key, default: [:]][token] = waiter }
            return answer
        }
        if let answer { waiter.resume(returning: answer) }
    }

    private func leave(_ key: StorageKey, _ token: UInt64) {
        let (waiter, wakes) = state.withLock { state in
            guard let waiter = state.waiters[key]?.removeValue(forKey: token) else {
                return (Waiter?.none, [() -> Void]())
            }
            return (waiter, perform(state.index.handle(.waiterLeft(key)), &state))
        }
        waiter?.resume(returning: .failure(Self.left))
        for wake in wakes { wake() }
    }

    /// Sends the request to the index.
    ///
    /// Returns `nil` if the answer follows later.
    private func ask(
        _ key: StorageKey,
        _ request: LibraryRequest,
        waits: Bool,
        _ state: inout State
    ) -> Result<KnownFile, DownloadError>? {
        var ask = LibraryIndex.Ask(
            url: request.url,
            name: Self.name(key, request),
            policy: request.policy ?? configuration.finishedFilePolicy,
            waits: waits
        )
        // A closure that was given earlier counts, too.
        let renewal = request.renewURL ?? state.requests[key]?.renewURL
        ask.renews = (renewal ?? configuration.renewURL) != nil
        let isRunning = state.index.entries[key]?.download?.run != nil
        let actions = state.index.handle(.asked(key, ask))
        for action in actions {
            switch action {
            case .give(let file): return .success(file)
            case .refuse(let error): return .failure(error)
            default: break
            }
        }
        // A caller that joins does not change the settings, but its closure may be the only one for
        // new URLs.
        var remembered = isRunning ? state.requests[key] ?? LibraryRequest() : request
        if remembered.settings == nil {
            remembered.settings = state.requests[key]?.settings
            remembered.settingsURL = state.requests[key]?.settingsURL
        } else if !isRunning {
            remembered.settingsURL = state.index.entries[key]?.download?.order.url
        }
        remembered.renewURL =
            isRunning ? state.requests[key]?.renewURL ?? request.renewURL : renewal
        state.requests[key] = remembered
        // Nobody waits for the key yet.
        _ = perform(actions, &state)
        return nil
    }

    private static func name(_ key: StorageKey, _ request: LibraryRequest) -> String {
        if let name = request.name.flatMap(LibraryName.usable) { return name }
        guard let url = request.url else { return key.fileName }
        let suggested = FileName.suggested(contentDisposition: nil, url: url, mediaType: nil)
        return key.fileName + FileNameParts(suggested).suffix
    }

    private static let left = DownloadError(
        .interrupted,
        "the wait was cancelled",
        advice: "request the key again to resume"
    )
}
