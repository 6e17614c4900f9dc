/// A right that a request needs.
package enum Demand: String, Sendable, CaseIterable {
    case open
    case look
    case lookAtSecrets = "look-at-secrets"
    case add
    case replace
    case addFromFiles = "add-from-files"
    case addToSession = "add-to-session"
    case control
    case remove
    case discard
    case readdress
    case rename
    case describe
    case makeSession = "make-session"
    case useSession = "use-session"
    case forgetSession = "forget-session"
    case setCommand = "set-command"
    case changeSettings = "change-settings"
    case changeBounds = "change-bounds"
    case letIn = "let-in"

    /// The description for the document and for refusals: a noun phrase.
    package var about: String {
        switch self {
        case .open: "the page's files, and the exchange of a code or a token for a cookie"
        case .look: "a look at the queue, its events, sessions, settings and numbers"
        case .lookAtSecrets: "resume data, which hold the whole URL"
        case .add: "a new download"
        case .replace:
            "a new download that may replace a file (`overwrite`) or adopt another tool's partial file"
        case .addFromFiles: "a new download from resume data or with a file of authorities"
        case .addToSession: "a new download in a session"
        case .control:
            "a pause, a resumption, another place, priority, limit, date or number of connections"
        case .remove: "a removal from the list, which leaves the files"
        case .discard: "a cancellation, or a removal with the files"
        case .readdress: "another URL, other fields or other credentials"
        case .rename: "another name"
        case .describe: "another description by the session's program"
        case .makeSession: "a new session"
        case .useSession: "an attachment to a session, its limits and its acknowledgements"
        case .forgetSession: "the end of a session"
        case .setCommand: "a session's command to run"
        case .changeSettings: "a change of settings"
        case .changeBounds:
            "a change of the allowed folders, of private addresses or of the TCP listener"
        case .letIn: "a login code"
        }
    }

    /// Whether it concerns a download or a session that has an owner.
    package var hasOwner: Bool {
        switch self {
        case .control, .remove, .discard, .readdress, .rename, .describe: true
        case .addToSession, .useSession, .forgetSession: true
        default: false
        }
    }
}
