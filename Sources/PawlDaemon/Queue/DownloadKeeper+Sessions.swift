internal import FoundationEssentials
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Sessions: who hears of what, and what runs when all has ended.
extension DownloadKeeper {
    /// What is to be run for sessions.
    func relaunches() throws(DownloadError) -> [StoreTransaction.Relaunch] {
        try store.write { try $0.relaunches() }
    }

    func relaunched(_ relaunch: StoreTransaction.Relaunch) throws(DownloadError) {
        try store.write { try $0.relaunched(relaunch) }
    }

    func register(_ registration: SessionRegistration) throws(DownloadError) -> WireSession {
        try registration.check()
        let (session, limits) = try store.write { transaction in
            try transaction.register(registration, at: Date())
            return (
                try transaction.session(registration.identifier), try transaction.sessionLimits()
            )
        }
        follow(limits)
        return session
    }

    func acknowledge(_ acknowledgement: Acknowledgement) throws(DownloadError) {
        guard acknowledgement.event >= 0 else {
            let number = acknowledgement.event
            throw DownloadError(.usage, "'event' is \(number)", advice: "give an event's id")
        }
        try store.write { transaction in
            guard try transaction.acknowledged(acknowledgement.session) != nil else {
                throw DownloadError.noSession(acknowledgement.session)
            }
            try transaction.acknowledge(acknowledgement, at: Date())
        }
    }

    func forgetSession(_ identifier: String) throws(DownloadError) {
        let limits = try store.write { transaction in
            try transaction.forgetSession(identifier)
            return try transaction.sessionLimits()
        }
        follow(limits)
    }

    func follow(_ limits: [String: StoreTransaction.SessionLimits]) {
        let old = sessionLimits
        guard limits != old else { return }
        sessionLimits = limits
        planner.sessionLimits = limits.compactMapValues(\.concurrentDownloads)
        for name in Set(limits.keys).union(old.keys) {
            let limit = limits[name]?.bytesPerSecond
            guard limit != old[name]?.bytesPerSecond else { continue }
            live.setLimit(bytesPerSecond: limit, ofSession: name)
        }
        bell.ring()
    }

    /// With what a download could be gone on elsewhere, once no run of it is going; nil where that
    /// is nothing.
    func resumeData(of id: Int64) async throws(DownloadError) -> ResumeData? {
        let row = try store.write { try $0.download(id) }
        guard let row else { throw DownloadError.noDownload(id) }
        let task = live[id]
        if row.state != .running { await task?.waitForEndInAnyCase() }
        let (path, request) = try store.write { transaction in
            (try transaction.download(id)?.path, try transaction.request(of: id))
        }
        // What has just ended may not be in the store yet.
        guard let path = live.path(of: id) ?? path, let request else { return nil }
        let order = try WireJSON.decode(NewDownload.self, from: request).checked()
        return await session.resumeData(
            ofFile: path,
            DownloadRequest(order.url, settings: order.settings)
        )
    }
}
