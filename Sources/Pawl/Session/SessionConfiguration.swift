public import PawlCore

/// What holds for all tasks of one session.
///
/// Start from `.default`, `.ephemeral` or `.background(identifier:)` and change what you need; a
/// session takes a copy, so that later changes are its own affair.
public struct SessionConfiguration: Sendable {
    /// Which of the three kinds a session is.
    public enum Kind: Sendable, Hashable {
        /// Partial files stay beside their targets, so that another process can go on.
        case `default`
        /// The same, but what a task of it leaves unfinished is thrown away with the session, also
        /// after a crash: then by the next session of the application.
        case ephemeral
        /// A process of its own, the daemon, carries the downloads on; the identifier attaches to
        /// them again.
        case background(identifier: String)
    }

    /// Which of the three kinds the session is.
    public let kind: Kind
    /// How many tasks run at a time; the others wait in the order of their priority.
    ///
    /// 5 by default. One that can do nothing lets another one begin: it waits for the network, or it is
    /// a data task that is suspended or has a bufferful that nobody reads. `data(from:)` and
    /// `bytes(from:)` wait for no turn.
    public var maximumConcurrentDownloads = 5
    /// How many connections a host gets, across all tasks.
    ///
    /// 16 by default. The daemon has one number for all that it downloads (`pawl limit --per-host`), which
    /// holds for background sessions, too.
    public var connectionsPerHost = 16
    /// The most that all tasks together may bring, in bytes a second; nil, the default, is no limit.
    ///
    /// Of a background session it holds until a process of it says another one.
    public var limitBytesPerSecond: Int64?
    /// How a task of the session is done unless its request says otherwise: time limits, retries,
    /// fields, credentials, what to do where the file is there.
    public var settings = DownloadSettings()
    /// Whether cookies that servers set are sent back to them (RFC 6265), by all tasks of the session.
    ///
    /// True by default. They are kept in memory alone, and go with the session; another session has its
    /// own. A `Cookie` field of a request is sent in any case. Each background download has cookies of
    /// its own, which the daemon keeps until the download ends or is paused, whatever this property is.
    public var keepsCookies = true
    /// How long a suspended task keeps its connections.
    ///
    /// 30 s by default; then it is paused, which costs a new connection when it is resumed.
    public var suspensionLimit: Duration = .seconds(30)

    /// Tells this application's places from those of others.
    ///
    /// The program's name by default.
    public var applicationIdentifier: String?
    /// Where temporary files lie, and what is unfinished of them.
    ///
    /// Nil, the default, is a folder in the application's caches. What is unfinished stays there for a
    /// week, so that resume data of temporary tasks are of use in another process. Sessions that are
    /// to find each other's files, and to clean up after a crash, need the same folder.
    public var temporaryDirectory: String?
    /// The command that the daemon runs when all downloads of a background session have ended and no
    /// process is attached to it: the program's absolute path, then its arguments; nil, the default, runs
    /// nothing.
    ///
    /// It runs without a shell, with the daemon's environment and `PAWL_SESSION`, the session's identifier,
    /// for ten minutes at most; what it writes goes to the daemon's log. Other kinds of sessions take no
    /// notice.
    public var relaunchCommand: [String]?
    /// Whether a background session takes its identifier from another process that is attached to it.
    ///
    /// False, the default, fails with the code `.alreadyRunning` while that process is there.
    public var takesOverBackgroundSession = false
    /// Where the delegate and the completion handlers are called.
    public var delegateExecutor = DelegateExecutor.automatic

    /// The kind `.default`, with the defaults of everything else.
    public static var `default`: SessionConfiguration { SessionConfiguration(kind: .default) }

    /// The kind `.ephemeral`, with the defaults of everything else.
    public static var ephemeral: SessionConfiguration { SessionConfiguration(kind: .ephemeral) }

    /// The kind `.background`, with the defaults of everything else.
    ///
    /// `identifier` names the session for ever: the next process of the user that uses it gets its tasks, and
    /// what it missed. The daemon's program, `pawld`, must be beside this one or in PATH; where it cannot be
    /// had, each download of such a session fails with the code `.daemonUnavailable`. Data tasks run in this
    /// process in any kind of session.
    public static func background(identifier: String) -> SessionConfiguration {
        SessionConfiguration(kind: .background(identifier: identifier))
    }

    /// Whose the partial files of the session are: ``CheckpointDescription`` tells them from others.
    package var keeper: String?

    private init(kind: Kind) { self.kind = kind }

    var application: StorageKey { StorageKey(applicationIdentifier ?? OwnProgram.name) }

    var downloaderSettings: DownloaderSettings {
        var settings = DownloaderSettings()
        settings.maximumConcurrentDownloads = maximumConcurrentDownloads
        settings.connectionsPerHost = connectionsPerHost
        settings.limitBytesPerSecond = limitBytesPerSecond
        return settings
    }
}
