internal import ArgumentParser
internal import Pawl
internal import PawlCore

/// What a mirror takes from the server, and what happens to local files.
struct MirrorOptions: ParsableArguments {
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Download only files whose name or path below the URL matches this pattern, such as "
                + "'*.iso' or 'pool/**/*.deb'. May be given several times.",
            valueName: "pattern"
        )
    )
    var include: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Skip files and folders that match this pattern. A pattern that ends in a slash, such "
                + "as 'old/', skips only folders. May be given several times.",
            valueName: "pattern"
        )
    )
    var exclude: [String] = []

    @Option(
        help: ArgumentHelp(
            "Visit only this many levels of folders; 1 is the folder of the URL alone.",
            valueName: "n"
        )
    )
    var depth: Int?

    @Flag(
        help: ArgumentHelp(
            "Delete the mirror's files that are no longer on the server. Pawl lists them and asks "
                + "you to confirm."
        )
    )
    var delete = false

    @Flag(name: .shortAndLong, help: "Delete without asking.")
    var yes = false

    @Flag(help: "Visit even what the server's robots.txt disallows.")
    var noRobots = false

    @Option(
        help: ArgumentHelp(
            "What to do with a file that this mirror has not downloaded, or that was changed since: "
                + "overwrite, skip or fail. Default: fail.",
            valueName: "overwrite|skip|fail"
        )
    )
    var ifExists: String?

    @Flag(setting: "xattr") var xattr = false

    func choices() throws(DownloadError) -> MirrorChoices {
        if let depth, depth < 1 {
            throw .usage(
                "--depth: \(depth) is not a number of levels",
                advice: "1 is the folder alone"
            )
        }
        guard delete || !yes else {
            throw .usage("--yes has no effect without --delete", advice: "remove it")
        }
        let policy = ifExists.map { ExistingFilePolicy(rawValue: $0.lowercased()) } ?? .fail
        guard let policy, policy != .rename else {
            throw .usage(
                "--if-exists: '\(ifExists?.sanitized(atMost: 40) ?? "")' is not possible for a mirror",
                advice: "use overwrite, skip or fail"
            )
        }
        return MirrorChoices(
            filter: try usage("--include and --exclude") { () throws(ValueError) in
                try PathFilter(including: include, excluding: exclude)
            },
            depth: depth,
            obeysRobots: !noRobots,
            deletes: delete,
            asks: !yes,
            ifExists: policy
        )
    }
}

/// What the options of a mirror mean.
struct MirrorChoices: Sendable {
    let filter: PathFilter
    let depth: Int?
    let obeysRobots: Bool
    let deletes: Bool
    /// Whether the user is asked before files are deleted.
    let asks: Bool
    let ifExists: ExistingFilePolicy

    /// Whether a run with these choices sees the file if it is on the server.
    func concern(_ path: String) -> Bool {
        filter.wants(path) && path.pathNames.count <= depth ?? .max
    }
}
