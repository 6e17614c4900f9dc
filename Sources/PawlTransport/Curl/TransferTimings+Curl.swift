internal import CCurl
internal import PawlCore

extension TransferTimings {
    /// Creates the timings that libcurl has measured so far.
    init(of handle: CurlHandle) {
        self.init()
        nameResolved = handle.time(CURLINFO_NAMELOOKUP_TIME_T)
        connected = handle.time(CURLINFO_CONNECT_TIME_T)
        secured = handle.time(CURLINFO_APPCONNECT_TIME_T)
        firstByte = handle.time(CURLINFO_STARTTRANSFER_TIME_T)
        total = handle.time(CURLINFO_TOTAL_TIME_T) ?? .zero
        // Until the request is sent, no connection is known that could be a reused one.
        let isSent = handle.time(CURLINFO_PRETRANSFER_TIME_T) != nil
        reusedConnection = isSent && handle.usesOldConnection
        remoteAddress = handle.text(CURLINFO_PRIMARY_IP)
    }
}

extension CurlHandle {
    /// The time that it took to make the connection of a received head; `nil` if the connection was
    /// reused.
    var connectTime: Duration? {
        var timings = TransferTimings()
        timings.reusedConnection = usesOldConnection
        guard !timings.reusedConnection else { return nil }
        timings.nameResolved = time(CURLINFO_NAMELOOKUP_TIME_T)
        timings.connected = time(CURLINFO_CONNECT_TIME_T)
        return timings.connectTime
    }

    /// Whether at least one byte of an answer has been received.
    var hasHeardServer: Bool { time(CURLINFO_STARTTRANSFER_TIME_T) != nil }

    /// Returns `nil` if the transfer has not reached that point.
    fileprivate func time(_ info: CURLINFO) -> Duration? {
        guard let microseconds = offset(info), microseconds > 0 else { return nil }
        return .microseconds(microseconds)
    }
}
