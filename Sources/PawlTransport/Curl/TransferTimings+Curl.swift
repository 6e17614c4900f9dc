internal import CCurl
internal import PawlCore

extension TransferTimings {
    /// As libcurl has measured them so far.
    init(of handle: CurlHandle) {
        self.init()
        nameResolved = handle.time(CURLINFO_NAMELOOKUP_TIME_T)
        connected = handle.time(CURLINFO_CONNECT_TIME_T)
        secured = handle.time(CURLINFO_APPCONNECT_TIME_T)
        firstByte = handle.time(CURLINFO_STARTTRANSFER_TIME_T)
        total = handle.time(CURLINFO_TOTAL_TIME_T) ?? .zero
        // Before the request is on its way there is no connection that could be an old one.
        let isSent = handle.time(CURLINFO_PRETRANSFER_TIME_T) != nil
        reusedConnection = isSent && handle.usesOldConnection
        remoteAddress = handle.text(CURLINFO_PRIMARY_IP)
    }
}

extension CurlHandle {
    /// What the connection of a head that has come took to be made; nil for one that was there
    /// already.
    var connectTime: Duration? {
        var timings = TransferTimings()
        timings.reusedConnection = usesOldConnection
        guard !timings.reusedConnection else { return nil }
        timings.nameResolved = time(CURLINFO_NAMELOOKUP_TIME_T)
        timings.connected = time(CURLINFO_CONNECT_TIME_T)
        return timings.connectTime
    }

    /// Whether a byte of an answer has come.
    var hasHeardServer: Bool { time(CURLINFO_STARTTRANSFER_TIME_T) != nil }

    /// nil where that point was not reached.
    fileprivate func time(_ info: CURLINFO) -> Duration? {
        guard let microseconds = offset(info), microseconds > 0 else { return nil }
        return .microseconds(microseconds)
    }
}
