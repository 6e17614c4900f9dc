public import PawlCore
internal import PawlStorage

/// The configuration of a session and all its tasks.
///
/// Start from `.default`, `.ephemeral` or `.background(identifier:)` and change what you need. A
/// session copies it, so later changes have no effect on the session.
public struct SessionConfiguration: Sendable {
    /// The kinds of sessions.
    public enum Kind: Sendable, Hashable {
        /// Partial files stay beside their targets, so that another process can resume the
        /// downloads.
        case `default`
        /// As `default`, but unfinished files are removed with the session.
        ///
        /// After a crash, the application's next session removes them.
        case ephemeral
        /// A separate process, the daemon, runs the downloads.
        ///
        /// A process attaches to them again with the identifier.
        case background(identifier: String)
    }

    /// The kind of the session.
    public let kind: Kind
    /// The maximum number of tasks that run at the same time; the others wait in the order of their
    /// priority.
    ///
    /// The default is 5. A task that is blocked lets another one start: it waits for the network,
    /// or it is a data task that is suspended or has a full buffer that nobody reads. `data(from:)`
    /// and `bytes(from:)` do not wait for a turn.
    public var maximumConcurrentDownloads = 5
    /// The maximum number of connections per host, across all tasks.
    ///
    /// The default is 16. The daemon has one number for all its downloads (`pawl limit
    /// --per-host`), which also applies to background sessions.
    public var connectionsPerHost = 16
    /// The maximum speed of all tasks together, in bytes per second; `nil`, the default, is no
    /// limit.
    ///
    /// For a background session it applies until one of its processes sets another one.
    public var limitBytesPerSecond: Int64?
    /// The default settings of the session's requests: time limits, retries, fields, credentials,
    /// and what to do if the file exists.
    public var settings = DownloadSettings()
    /// What happens to the cookies that servers set (RFC 6265).
    ///
    /// The default is `.session`. A `Cookie` field of a request is sent in any case. Each
    /// background download has cookies of its own, which the daemon keeps until the download ends
    /// or is paused, whatever this property is.
    public var cookies = CookiePolicy.session
    /// How long a suspended task keeps its connections.
    ///
    /// The default is 30 s. After that the task is paused, so resuming it needs a new connection.
    public var suspensionLimit: Duration = .seconds(30)

    /// The identifier that separates this application's places from those of others.
    ///
    /// The default is the program's name.
    public var applicationIdentifier: String?
    /// The folder of temporary files, finished and unfinished.
    ///
    /// The default, `nil`, is a folder in the application's caches. Unfinished files stay there for
    /// a week, so that resume data of temporary tasks can be used in another process. Sessions that
    /// should find each other's files, and clean up after a crash, need the same folder.
    public var temporaryDirectory: String?
    /// The command that the daemon runs when all downloads of a background session have ended and
    /// no process is attached to it: the program's absolute path, then its arguments.
    ///
    /// The default, `nil`, runs nothing.
    ///
    /// It runs without a shell for at most ten minutes, with the daemon's environment and the
    /// session's identifier in `PAWL_SESSION`. Its output goes to the daemon's log. Other kinds of
    /// sessions ignore it.
    public var relaunchCommand: [String]?
    /// Whether a background session takes over its identifier from another process that is attached
    /// to it.
    ///
    /// With `false`, the default, the session fails with the code `.alreadyRunning` while that
    /// process is attached.
    public var takesOverBackgroundSession = false
    /// Where the delegate and the completion handlers are called.
    public var delegateExecutor = DelegateExecutor.automatic

    /// The configuration of the kind `.default`, with all other defaults.
    public static var `default`: SessionConfiguration { SessionConfiguration(kind: .default) }

    /// The configuration of the kind `.ephemeral`, with all other defaults.
    public static var ephemeral: SessionConfiguration {
        var configuration = SessionConfiguration(kind: .ephemeral)
        configuration.settings.remembersHosts = false
        return configuration
    }

    /// Returns the configuration of the kind `.background`, with all other defaults.
    ///
    /// `identifier` names the session permanently: the user's next process that uses it gets its
    /// tasks and the events that it missed. The daemon's program, `pawld`, must be in the folder of
    /// this program or in PATH. If it is missing, each download of such a session fails with the
    /// code `.daemonUnavailable`. Data tasks run in this process in any kind of session.
    public static func background(identifier: String) -> SessionConfiguration {
        SessionConfiguration(kind: .background(identifier: identifier))
    }

    /// The owner of the session's partial files, by which ``CheckpointDescription`` distinguishes
    /// them from others.
    package var queueIdentity: String?
    /// The replacement for the network in a test; `nil`, the default, is the real network.
    ///
    /// With it, the tasks of a background session run in this process.
    package var replacement: NetworkReplacement?
    /// Whether the first task removes temporary files that ended sessions left.
    package var removesLeftovers = true

    private init(kind: Kind) { self.kind = kind }

    package var application: StorageKey { StorageKey(applicationIdentifier ?? OwnProgram.name) }
}
