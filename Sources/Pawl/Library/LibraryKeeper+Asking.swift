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
        guard !Task.isCancelled else { return .failure(Self.left) }
        let answer = state.withLock { state in
            let answer = state.answers[key] ?? Answer()
            if let result = ask(key, request, waits: true, &state) {
                let known = Answer()
                known.complete(with: result)
                return known
            }
            state.answers[key] = answer
            return answer
        }
        if let result = await answer.wait() { return result }
        return state.withLock { state in
            // The answer may have come since the task was cancelled.
            if let result = answer.value { return result }
            perform(state.index.handle(.waiterLeft(key)), &state)
            return .failure(Self.left)
        }
    }

    /// Starts the download if necessary.
    func begin(_ key: StorageKey, _ request: LibraryRequest) throws(DownloadError) {
        let answer = state.withLock { state in ask(key, request, waits: false, &state) }
        if case .failure(let error) = answer { throw error }
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
        perform(actions, &state)
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
