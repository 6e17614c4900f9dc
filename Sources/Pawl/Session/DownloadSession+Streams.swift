public import struct FoundationEssentials.URL
public import PawlCore
internal import PawlEngine
internal import Synchronization

/// Answers that are read as they arrive, without a task.
extension DownloadSession {
    /// Returns a response as it arrives: its head, then its body in pieces, with back-pressure.
    ///
    /// It does not wait for a turn, but for the network if the settings require that. The session
    /// does not end before the response has ended.
    ///
    /// - Throws: `DownloadError`.
    public func bytes(from url: URL) async throws(DownloadError) -> DataStream {
        try await bytes(for: DownloadRequest(url))
    }

    /// Returns the response to a request as it arrives.
    ///
    /// - Throws: `DownloadError`.
    public func bytes(for request: DownloadRequest) async throws(DownloadError) -> DataStream {
        let settings = request.settings(in: configuration)
        let checked = try CheckedRequest(request.url, settings)
        let control = StreamControl()
        guard let number = enter(control) else { throw SessionTask.late }
        let connected = ConnectedRequest(
            url: request.url,
            settings: settings,
            control: control,
            engine: engine
        ) { _ in
        }
        let result = await withTaskCancellationHandler {
            () async -> Result<DataStream, DownloadError> in
            do throws(DownloadError) {
                return .success(
                    try await connected.run(unless: false) {
                        () async throws(DownloadError) in
                        let order = StreamOrder(request, checked, seed: engine.seeds.next())
                        return try await open(order, control)
                    }
                )
            } catch {
                return .failure(error)
            }
        } onCancel: {
            control.stop()
        }
        leave(number, with: result)
        return try result.get()
    }

    private func open(
        _ order: StreamOrder,
        _ control: StreamControl
    ) async throws(DownloadError) -> DataStream {
        let driver = StreamDriver(order, engine: engine)
        control.attach(driver)
        return DataStream(try await driver.open(), driver)
    }

    // MARK: - Streams known to the session

    /// Registers a stream; `nil` if the session accepts nothing new.
    private func enter(_ control: StreamControl) -> Int? {
        state.withLock { state in
            guard state.phase == .open else { return nil }
            defer { state.nextStream += 1 }
            state.streams[state.nextStream] = { control.stop() }
            return state.nextStream
        }
    }

    /// Hands the response over to its reader.
    ///
    /// From now on neither it nor the session holds the other.
    private func leave(_ number: Int, with result: Result<DataStream, DownloadError>) {
        guard case .success(let stream) = result else { return forget(number) }
        let driver = stream.driver
        state.withLock { state in
            state.streams[number] = { [weak driver] in driver?.cancel() }
        }
        driver.whenEnded { [weak self] in self?.forget(number) }
    }

    private func forget(_ number: Int) {
        state.withLock { $0.streams[number] = nil }
        invalidateIfDone()
    }
}
