internal import PawlCore
internal import PawlEngine
internal import Synchronization

/// The run of a data task: one request, whose answer passes through the funnel.
extension DataTask {
    func fetch(_ place: StartPlace) async throws(DownloadError) -> TaskProduct {
        let driver = StreamDriver(try makeOrder(), engine: engine)
        // A failure outside of it must not leave the connection open while somebody holds the task.
        defer { driver.cancel() }
        control.attach(driver)
        try answered(try await driver.open(), driver)
        while true {
            try await waitForRoom(place)
            switch try await driver.piece(takesBack: funnel.takeBack) {
            case .bytes(let bytes):
                let isTold = await tellOfBytes(bytes)
                try funnel.put(bytes, isTold: isTold)
            case .anew(let isSame):
                guard let response = driver.response else { continue }
                guard isSame || session.delegate == nil else { throw StreamDriver.changed }
                try answered(response, driver)
            case .end:
                guard let bytes = funnel.whole, let response else { return .given }
                return .data(FetchedData(bytes, response))
            }
        }
    }

    private func makeOrder() throws(DownloadError) -> StreamOrder {
        let request = originalRequest
        let checked = try CheckedRequest(request.url, request.settings(in: session.configuration))
        return StreamOrder(request, checked, seed: engine.seeds.next())
    }

    private func answered(
        _ response: DownloadResponse,
        _ driver: StreamDriver
    ) throws(DownloadError) {
        let now = engine.time.now()
        own.withLock { own in
            own.response = response
            own.rate.record(totalBytes: 0, at: now)
        }
        tell()
        guard funnel.collects, let length = driver.announcedBytes, length > limit else {
            return
        }
        throw StreamDriver.tooLarge("\(length) bytes", limit: limit)
    }

    /// Waits for room.
    ///
    /// Throws if the use of the body is not set for too long.
    private func waitForRoom(_ place: StartPlace) async throws(DownloadError) {
        guard funnel.isFull else { return }
        // The reader may be waiting for a task that has not started.
        place.end()
        let (funnel, patience) = (
            funnel, originalRequest.settings(in: session.configuration).stallTimeout
        )
        let alarm = engine.alarms.enroll { funnel.nudge() }
        defer { engine.alarms.resign(alarm) }
        var deadline: Moment?
        while funnel.isFull, !control.isStopped {
            let now = engine.time.now()
            let isAwaited = funnel.isUndecided && !control.isSuspended
            deadline = isAwaited ? deadline ?? now + patience : nil
            if let deadline, now >= deadline { throw DataFunnel.unread }
            engine.alarms.set(alarm, at: deadline ?? .distantFuture)
            await funnel.waitForRoom()
        }
    }

    /// Waits until the delegate has received the bytes.
    ///
    /// Returns `false` if there is none.
    private func tellOfBytes(_ bytes: [UInt8]) async -> Bool {
        guard session.delegate != nil, !isAwaitedAtOnce else { return false }
        session.post(.received(self, bytes))
        await told.waitIgnoringCancellation()
        return true
    }

    // MARK: - For readers

    func claimBytes() -> Result<Void, DownloadError> {
        do throws(DownloadError) {
            return .success(try funnel.claim(.read))
        } catch {
            return .failure(self.error ?? error)
        }
    }

    func nextBytes() async throws(DownloadError) -> [UInt8]? {
        let result = await withTaskCancellationHandler {
            () async -> Result<[UInt8]?, DownloadError> in
            do throws(DownloadError) {
                return .success(try await funnel.take())
            } catch {
                return .failure(error)
            }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    /// The progress, in bytes received over the network.
    var fetchProgress: DownloadProgress {
        let count = control.driver?.receivedBytes ?? 0
        let (now, state) = (engine.time.now(), state)
        return own.withLock { own in
            var progress = DownloadProgress()
            progress.completedBytes = count
            progress.totalBytes = own.response?.expectedContentLength
            progress.name = own.response?.suggestedFilename ?? ""
            progress.phase = Self.phase(state, hasResponse: own.response != nil)
            guard progress.phase == .receiving else { return progress }
            own.rate.record(totalBytes: count, at: now)
            progress.bytesPerSecond = own.rate.bytesPerSecond(at: now)
            progress.connections = 1
            return progress
        }
    }

    private static func phase(_ state: TaskState, hasResponse: Bool) -> DownloadPhase {
        switch state {
        case .waiting, .suspended, .paused: .waiting
        case .waitingForConnectivity: .waitingForConnectivity
        case .running: hasResponse ? .receiving : .connecting
        case .finished: .finished
        case .failed, .cancelled: .failed
        }
    }
}
