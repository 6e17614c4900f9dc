internal import FoundationEssentials
internal import PawlCore
internal import PawlWire

/// The background sessions: their owners, their acknowledged events and their limits.
final class QueueSessions {
    private let environment: QueueEnvironment
    private let waiting: WaitingDownloads
    /// The limits that the downloads of a session share.
    private var limits: [ExactText: SessionTable.Limits] = [:]

    init(_ environment: QueueEnvironment, _ waiting: WaitingDownloads) {
        (self.environment, self.waiting) = (environment, waiting)
    }

    func limitBytesPerSecond(of session: String) -> Int64? {
        limits[ExactText(session)]?.bytesPerSecond
    }

    func register(
        _ registration: SessionRegistration,
        by authority: Authority
    ) throws(DownloadError) -> WireSession {
        try registration.check()
        if registration.relaunchCommand != nil { try AccessRules.check(.setCommand, by: authority) }
        let (session, limits) = try environment.store.write { transaction in
            if let owner = try transaction.sessions.owner(of: registration.identifier) {
                try AccessRules.check(.useSession, by: authority, owner: owner)
            } else {
                try AccessRules.check(.makeSession, by: authority)
            }
            try transaction.sessions.register(
                registration,
                by: authority.owner ?? .user,
                at: transaction.now
            )
            return (
                try transaction.sessions.find(registration.identifier),
                try transaction.sessions.limits()
            )
        }
        apply(limits)
        return session
    }

    func acknowledge(
        _ acknowledgement: Acknowledgement,
        by authority: Authority
    ) throws(DownloadError) {
        guard acknowledgement.event >= 0 else {
            let number = acknowledgement.event
            throw .usage("'event' is \(number)", advice: "give the ID of an event")
        }
        let session = acknowledgement.session
        try environment.store.write { transaction in
            guard try transaction.sessions.acknowledged(session) != nil else {
                throw DownloadError.noSession(session)
            }
            try QueueAccess.check(.useSession, session, by: authority, transaction)
            try transaction.sessions.acknowledge(acknowledgement, at: transaction.now)
        }
    }

    /// Throws `.notFound` if there is no such session, `.notAllowed` if the demand is refused.
    func check(
        _ identifier: String,
        _ demand: Demand,
        by authority: Authority
    ) throws(DownloadError) {
        try environment.store.write { transaction in
            guard try transaction.sessions.owner(of: identifier) != nil else {
                throw DownloadError.noSession(identifier)
            }
            try QueueAccess.check(demand, identifier, by: authority, transaction)
        }
    }

    func forget(_ identifier: String, by authority: Authority) throws(DownloadError) {
        let limits = try environment.store.write { transaction in
            try QueueAccess.check(.forgetSession, identifier, by: authority, transaction)
            try transaction.sessions.forget(identifier)
            return try transaction.sessions.limits()
        }
        apply(limits)
    }

    /// Applies the limits that the store has recorded.
    func apply(_ new: [ExactText: SessionTable.Limits]) {
        let old = limits
        guard new != old else { return }
        limits = new
        waiting.setLimits(ofSessions: new.compactMapValues(\.concurrentDownloads))
        for name in Set(new.keys).union(old.keys) {
            let limit = new[name]?.bytesPerSecond
            guard limit != old[name]?.bytesPerSecond else { continue }
            environment.running.setLimit(bytesPerSecond: limit, of: .session(name))
        }
        environment.work.send()
    }
}
