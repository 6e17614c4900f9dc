/// A part of advice whose words depend on the reader.
///
/// For the name of a setting, use ``AdviceSetting``. The raw value is the name of the phrase in
/// templates.
package enum AdvicePhrase: String, Sendable, CaseIterable {
    /// The request to repeat the operation that failed.
    case runAgain = "run-again"
    /// The request to resume the operation that was interrupted.
    case resume
    /// Another name for the file.
    case otherName = "other-name"
    /// Another name or another folder for the file.
    case otherLocation = "other-place"
    /// A shorter name for the file.
    case shorterName = "shorter-name"
    /// A folder on another file system for the file.
    case otherFileSystem = "other-file-system"
    /// The option or the property that takes the path of a folder.
    case folder
    /// The request to leave out a file or a folder of a mirror.
    case leaveOut = "leave-out"
    /// The request to limit the levels of folders of a mirror.
    case limitDepth = "limit-depth"
    /// The request to ignore a server's `robots.txt`.
    case ignoreRobots = "ignore-robots"
    /// The request to replace, or to keep, files of others in a mirror.
    case replaceOrKeep = "replace-or-keep"
    /// The description of a wait that is longer than the settings allow.
    case longerThanAllowed = "longer-than-allowed"
    /// The request to start the daemon.
    case startDaemon = "start-daemon"
    /// The request to restart the daemon.
    case restartDaemon = "restart-daemon"
    /// The request to read the daemon's log.
    case readDaemonLog = "read-daemon-log"
    /// The request to trust the certificate of a daemon over TCP.
    case trustDaemon = "trust-daemon"
    /// The request to use the daemon at its socket, which allows more than TCP.
    case useSocket = "use-socket"

    func words(for reader: AdviceReader) -> String {
        let words = words
        return switch reader {
        case .library: words.library
        case .command: words.command
        case .api: words.api
        }
    }

    private var words: (library: String, command: String, api: String) {
        switch self {
        case .runAgain:
            ("start the download again", "run the same command again", "resume the download")
        case .resume:
            (
                "start the download again to resume", "run the same command again to resume",
                "resume the download"
            )
        case .otherName:
            ("another destination", "another name with --output", "another `destination`")
        case .otherLocation:
            (
                "another destination", "another folder or name with --output or --directory",
                "another `destination`"
            )
        case .shorterName:
            (
                "a destination with a shorter name", "a shorter name with --output",
                "a `destination` with a shorter name"
            )
        case .otherFileSystem:
            (
                "a destination on another file system",
                "a folder on another file system with --directory",
                "a `destination` on another file system"
            )
        case .folder: ("the destination", "--directory", "`destination`")
        case .leaveOut: ("leave it out", "leave it out with --exclude", "leave it out")
        case .limitDepth: ("limit the depth", "limit the depth with --depth", "limit the depth")
        case .ignoreRobots: ("ignore that file", "use --no-robots", "ignore that file")
        case .replaceOrKeep:
            (
                "replace or keep such files",
                "to replace such files, use --if-exists overwrite; to keep them, --if-exists skip",
                "replace or keep such files"
            )
        case .longerThanAllowed:
            // The command has no option for it.
            (
                "longer than \(AdviceSetting.maximumRetryAfter.name(for: .library)) allows",
                "longer than Pawl waits",
                "longer than \(AdviceSetting.maximumRetryAfter.name(for: .api)) allows"
            )
        case .startDaemon:
            (
                "create the background session again, which starts the daemon",
                "run 'pawl daemon start'", "start the daemon"
            )
        case .restartDaemon:
            (
                "end the process of the daemon, and create the background session again, which "
                    + "starts it", "run 'pawl daemon restart'", "restart the daemon"
            )
        case .readDaemonLog:
            ("read the daemon's log", "see 'pawl daemon logs'", "read the daemon's log")
        case .trustDaemon:
            (
                "trust its certificate authority",
                "give its authority, or the certificate itself if it is self-signed, with "
                    + "--daemon-cacert", "trust its certificate authority"
            )
        case .useSocket:
            (
                "use the daemon of this machine",
                "run pawl on the daemon's machine, without --daemon",
                "use the Unix socket: pawl, or curl --unix-socket"
            )
        }
    }
}
