package import PawlWire

/// Decides what each authority may do with what each owner has added (pure).
///
/// This is the only place that knows. Its table stands in docs/security.md, where a test compares it.
package enum AccessRules {
    package enum Decision: String, Sendable, Hashable {
        case allowed
        /// Allowed where the file lies, or is to lie, in a folder that may be used over TCP; from then
        /// on the download keeps to it.
        case allowedInFolders
        case refused
    }

    /// `owner`: of what the demand concerns; nil where nobody has added it yet.
    package static func decision(
        on demand: Demand,
        by authority: Authority,
        owner: DownloadOwner? = nil
    ) -> Decision {
        let isOwn = owner == nil || owner == authority.owner
        return switch authority {
        case .user: user(demand, isOwn: isOwn)
        case .page: manager(demand, isOwn: isOwn, mayDiscard: true)
        case .token(_, .manage): manager(demand, isOwn: isOwn, mayDiscard: owner != .user)
        case .token(_, .add): adder(demand, isOwn: isOwn)
        case .token(_, .read): demand == .open || demand == .look ? .allowed : .refused
        case .nobody: demand == .open ? .allowed : .refused
        }
    }

    private static func user(_ demand: Demand, isOwn: Bool) -> Decision {
        switch demand {
        // Two programs that acknowledge the events of one session would lose some.
        case .useSession: isOwn ? .allowed : .refused
        default: .allowed
        }
    }

    /// The page, and programs whose token has the scope `manage`.
    private static func manager(_ demand: Demand, isOwn: Bool, mayDiscard: Bool) -> Decision {
        switch demand {
        case .open, .look, .control, .remove, .changeSettings, .makeSession: .allowed
        case .add, .replace, .readdress, .rename: .allowedInFolders
        case .discard: mayDiscard ? .allowed : .allowedInFolders
        // What a session's program relies on is its own.
        case .addToSession, .describe, .useSession, .forgetSession: isOwn ? .allowed : .refused
        case .lookAtSecrets, .addFromFiles, .setCommand, .changeBounds, .letIn: .refused
        }
    }

    private static func adder(_ demand: Demand, isOwn: Bool) -> Decision {
        switch demand {
        case .open, .look: .allowed
        case .add: .allowedInFolders
        case .control, .remove, .discard, .describe: isOwn ? .allowed : .refused
        case .readdress, .rename: isOwn ? .allowedInFolders : .refused
        // What is there already is not a stranger's to destroy.
        case .replace: .refused
        case .addToSession, .makeSession, .useSession, .forgetSession: .refused
        case .lookAtSecrets, .addFromFiles, .setCommand, .changeSettings, .changeBounds, .letIn:
            .refused
        }
    }
}
