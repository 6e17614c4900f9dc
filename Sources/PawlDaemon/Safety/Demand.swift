/// A right that a request needs.
package enum Demand: String, Sendable, CaseIterable {
    case open
    case read = "look"
    case readSecrets = "look-at-secrets"
    case readAuditLog = "look-at-audit-log"
    case add
    case replace
    case addFromFiles = "add-from-files"
    case addToSession = "add-to-session"
    case addFeed = "add-feed"
    case control
    case remove
    case undo
    case discard
    case readdress
    case rename
    case describe
    case makeSession = "make-session"
    case useSession = "use-session"
    case forgetSession = "forget-session"
    case setCommand = "set-command"
    case changeLabels = "change-labels"
    case manageFleet = "manage-fleet"
    case changeSettings = "change-settings"
    case changeBounds = "change-bounds"
    case letIn = "let-in"
    case shutDown = "shut-down"

    /// The description for the document and for refusals: a gerund phrase.
    package var about: String {
        switch self {
        case .open: "reading the page's files, and exchanging a code or a token for a cookie"
        case .read: "reading the queue, its events, sessions, settings and statistics"
        case .readSecrets:
            "reading resume data and responses of servers, which may contain secrets, and the "
                + "uploads in a bucket"
        case .readAuditLog: "reading the audit log"
        case .add: "adding a download"
        case .replace:
            "adding a download that may replace a file (`overwrite`) or adopt another tool's "
                + "partial file"
        case .addFromFiles:
            "adding a download with resume data, or with settings that name a file, a program, a "
                + "network interface or a name server"
        case .addToSession: "adding a download or a feed to a session"
        case .addFeed: "adding a feed, whose items become downloads"
        case .control:
            "pausing, resuming or moving a download, and changing its priority, limit, date or "
                + "number of connections; checking a feed, and changing its rules or its label"
        case .remove: "removing a download from the list, without its files, or a feed"
        case .undo: "restoring removed downloads and feeds"
        case .discard: "cancelling a download, or removing it with its files"
        case .readdress:
            "changing the URL, header fields or credentials of a download, or the URL of a feed"
        case .rename: "changing the name of a download's file, or the folder of a feed"
        case .describe: "changing the description that the session's program gave to a download"
        case .makeSession: "registering a new session"
        case .useSession: "attaching to a session, setting its limits and acknowledging its events"
        case .forgetSession: "forgetting a session"
        case .setCommand: "setting the command that a session runs"
        case .changeLabels: "giving a folder, a limit or a priority to a label, or removing it"
        case .manageFleet: "draining a node, and retrying all failed downloads of a kind"
        case .changeSettings: "changing settings"
        case .changeBounds:
            "changing the allowed folders, the access to private addresses, the TCP listener, its "
                + "certificate and proxies, the hooks or the rules that move files"
        case .letIn: "creating a login code, and listing, creating and revoking tokens"
        case .shutDown: "ending the daemon"
        }
    }
}
