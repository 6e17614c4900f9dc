package import PawlWire

/// Decides what each authority may do with what each owner has added (pure).
///
/// This is the only place that decides. Its table is in docs/security.md, and a test compares it.
package enum AccessRules {
    package enum Decision: String, Sendable, Hashable {
        case allowed
        /// Allowed if the file is, or will be, in a folder that may be used over TCP.
        ///
        /// From then on the download cannot leave it.
        case allowedInFolders
        case refused
    }

    /// Returns the decision.
    ///
    /// `owner` is the owner of what the demand concerns; `nil` if it was not added yet.
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

    /// Decides for the page, and for programs whose token has the scope `manage`.
    private static func manager(_ demand: Demand, isOwn: Bool, mayDiscard: Bool) -> Decision {
        switch demand {
        case .open, .look, .control, .remove, .changeSettings, .makeSession: .allowed
        case .add, .replace, .readdress, .rename: .allowedInFolders
        case .discard: mayDiscard ? .allowed : .allowedInFolders
        // What a session's program relies on belongs to that program.
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
        // Existing files of others must not be destroyed.
        case .replace: .refused
        case .addToSession, .makeSession, .useSession, .forgetSession: .refused
        case .lookAtSecrets, .addFromFiles, .setCommand, .changeSettings, .changeBounds, .letIn:
            .refused
        }
    }
}
