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

    func register(
        _ registration: SessionRegistration,
        by authority: Authority
    ) throws(DownloadError) -> WireSession {
        try registration.check()
        if registration.relaunchCommand != nil { try AccessRules.check(.setCommand, by: authority) }
        let (session, limits) = try store.write { transaction in
            if let owner = try transaction.owner(ofSession: registration.identifier) {
                try AccessRules.check(.useSession, by: authority, owner: owner)
            } else {
                try AccessRules.check(.makeSession, by: authority)
            }
            try transaction.register(registration, by: authority.owner ?? .user, at: Date())
            return (
                try transaction.session(registration.identifier), try transaction.sessionLimits()
            )
        }
        follow(limits)
        return session
    }

    func acknowledge(
        _ acknowledgement: Acknowledgement,
        by authority: Authority
    ) throws(DownloadError) {
        guard acknowledgement.event >= 0 else {
            let number = acknowledgement.event
            throw DownloadError(.usage, "'event' is \(number)", advice: "give an event's id")
        }
        try store.write { transaction in
            guard try transaction.acknowledged(acknowledgement.session) != nil else {
                throw DownloadError.noSession(acknowledgement.session)
            }
            try Self.check(.useSession, acknowledgement.session, by: authority, transaction)
            try transaction.acknowledge(acknowledgement, at: Date())
        }
    }

    /// Throws `.notFound` where nobody knows it, `.notAllowed` where that may not be done with it.
    func checkSession(
        _ identifier: String,
        _ demand: Demand,
        by authority: Authority
    ) throws(DownloadError) {
        try store.write { transaction in
            guard try transaction.owner(ofSession: identifier) != nil else {
                throw DownloadError.noSession(identifier)
            }
            try Self.check(demand, identifier, by: authority, transaction)
        }
    }

    func forgetSession(
        _ identifier: String,
        by authority: Authority
    ) throws(DownloadError) {
        let limits = try store.write { transaction in
            try Self.check(.forgetSession, identifier, by: authority, transaction)
            try transaction.forgetSession(identifier)
            return try transaction.sessionLimits()
        }
        follow(limits)
    }

    func follow(_ limits: [String: StoreTransaction.SessionLimits]) {
        let old = sessionLimits
        guard limits != old else { return }
        sessionLimits = limits
        scheduler.groupLimits = limits.compactMapValues(\.concurrentDownloads)
        for name in Set(limits.keys).union(old.keys) {
            let limit = limits[name]?.bytesPerSecond
            guard limit != old[name]?.bytesPerSecond else { continue }
            live.setLimit(bytesPerSecond: limit, ofSession: name)
        }
        bell.ring()
    }

    /// With what a download could be gone on elsewhere, once no run of it is going; nil where that
    /// is nothing.
    ///
    /// - Throws: `.notAllowed`, and `.notFound` where there is no such download.
    func resumeData(
        of id: Int64,
        by authority: Authority
    ) async throws(DownloadError) -> ResumeData? {
        try AccessRules.check(.lookAtSecrets, by: authority)
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
