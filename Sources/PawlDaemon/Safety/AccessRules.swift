internal import PawlCore
package import PawlWire

/// Decides what each authority may do with the downloads and sessions of each owner (pure).
///
/// No other code decides that. docs/security.md shows the table, and a test compares the two.
package enum AccessRules {
    package enum Decision: String, Sendable, Hashable {
        case allowed
        /// Allowed if the file is or will be in a folder that may be used over TCP; the download is
        /// confined to that folder from then on.
        case allowedInFolders
        case refused
    }

    /// `owner`: the owner of the download or session; `nil` if it is new.
    package static func decision(
        on demand: Demand,
        by authority: Authority,
        owner: DownloadOwner? = nil
    ) -> Decision {
        let isOwn = owner == nil || owner == authority.owner
        return switch authority {
        case .user: user(demand, isOwn: isOwn)
        // The page does not need to end the daemon. Over TCP, only clients of aria2 may.
        case .page where demand == .shutDown: .refused
        case .page: manager(demand, isOwn: isOwn, mayDiscard: true)
        case .token(_, .manage): manager(demand, isOwn: isOwn, mayDiscard: owner != .user)
        case .token(_, .add): adder(demand, isOwn: isOwn)
        case .token(_, .read): demand == .open || demand == .read ? .allowed : .refused
        case .nobody: demand == .open ? .allowed : .refused
        }
    }

    private static func user(_ demand: Demand, isOwn: Bool) -> Decision {
        switch demand {
        // If two programs acknowledged the events of a session, each would miss some.
        case .useSession: isOwn ? .allowed : .refused
        default: .allowed
        }
    }

    /// The page, and programs with a token of the scope `manage`.
    private static func manager(_ demand: Demand, isOwn: Bool, mayDiscard: Bool) -> Decision {
        switch demand {
        case .open, .read, .readAuditLog, .control, .remove, .undo, .manageFleet, .changeSettings,
            .makeSession, .shutDown:
            .allowed
        case .add, .addFeed, .replace, .readdress, .rename, .changeLabels: .allowedInFolders
        case .discard: mayDiscard ? .allowed : .allowedInFolders
        // The program of a session relies on these.
        case .addToSession, .describe, .useSession, .forgetSession: isOwn ? .allowed : .refused
        case .readSecrets, .addFromFiles, .setCommand, .changeBounds, .letIn: .refused
        }
    }

    private static func adder(_ demand: Demand, isOwn: Bool) -> Decision {
        switch demand {
        // Undoing a removal restores only the downloads that the token may remove.
        case .open, .read, .undo: .allowed
        case .add: .allowedInFolders
        case .control, .remove, .discard, .describe: isOwn ? .allowed : .refused
        case .readdress, .rename: isOwn ? .allowedInFolders : .refused
        // A program must not destroy the existing files of others.
        case .replace: .refused
        // A feed continues to add downloads when its token has been revoked.
        case .addFeed: .refused
        case .addToSession, .makeSession, .useSession, .forgetSession: .refused
        case .readSecrets, .readAuditLog, .addFromFiles, .setCommand, .changeLabels, .manageFleet,
            .changeSettings, .changeBounds, .letIn, .shutDown:
            .refused
        }
    }

    // MARK: - Refusing

    /// Throws `.notAllowed` if the rules refuse a demand; returns whether it is allowed in folders
    /// only.
    @discardableResult
    static func check(
        _ demand: Demand,
        by authority: Authority,
        owner: DownloadOwner? = nil
    ) throws(DownloadError) -> Bool {
        switch decision(on: demand, by: authority, owner: owner) {
        case .allowed: return false
        case .allowedInFolders: return true
        case .refused: throw refusal(of: demand, to: authority, owner: owner)
        }
    }

    /// Returns the error of a refusal; the demand is `nil` for a route that makes none.
    static func refusal(
        of demand: Demand?,
        to authority: Authority,
        owner: DownloadOwner? = nil
    ) -> DownloadError {
        let what = demand?.about ?? "this"
        guard let owner, owner != authority.owner,
            let demand, decision(on: demand, by: authority) != .refused
        else {
            return DownloadError(
                .notAllowed,
                "\(authority.shown) may not do this: \(what)",
                advice: advice(demand, authority, owner)
            )
        }
        return DownloadError(
            .notAllowed,
            "\(authority.shown) may not do this: \(what); the owner is \(owner.shown)",
            advice: authority == .user
                ? "end the session: pawl session forget" : advice(demand, authority, owner)
        )
    }

    /// The advice names the narrowest scope of a token that is enough.
    ///
    /// If the owner is not known yet, it is not the token: another token owns none of the downloads
    /// that exist.
    private static func advice(
        _ demand: Demand?,
        _ authority: Authority,
        _ owner: DownloadOwner?
    ) -> Advice {
        let owner = owner ?? (demand?.concernsExisting == true ? .user : nil)
        guard let demand, case .token(let name, _) = authority,
            let scope = TokenScope.allCases.first(where: { scope in
                decision(on: demand, by: .token(name, scope), owner: owner) != .refused
            })
        else { return "\(.useSocket)" }
        let text = scope.rawValue
        return
            "use a token of the scope \(text) (pawl daemon token --scope \(text)), or \(.useSocket)"
    }
}

extension Demand {
    /// Whether it concerns a download or a feed that exists, which may belong to another owner.
    fileprivate var concernsExisting: Bool {
        switch self {
        case .control, .remove, .discard, .readdress, .rename, .describe: true
        default: false
        }
    }
}
