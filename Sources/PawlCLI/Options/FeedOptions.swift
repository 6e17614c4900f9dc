internal import ArgumentParser
internal import PawlCore
internal import PawlWire

/// When a feed is checked, and which of its items are added.
struct FeedRuleOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Check the feed at this interval, such as 30m, 6h or 1d; the minimum is 5m. With "
                + "never, only pawl feed check checks it. Default: 1h. A feed may request a longer "
                + "interval.",
            valueName: "time"
        )
    )
    var every: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Add only items whose title contains this text. A pattern with * or ? must match the "
                + "whole title or the name of the file. May be given several times; an item must "
                + "match one of them.",
            valueName: "text|pattern"
        )
    )
    var match: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Do not add items that match this text or pattern. May be given several times.",
            valueName: "text|pattern"
        )
    )
    var exclude: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The number of items that the first check adds, the newest first. Default: 1. Later "
                + "checks add all new items.",
            valueName: "n"
        )
    )
    var newest: Int?

    @Flag(
        inversion: .prefixedNo,
        help: "For items without a file, add the page that they link to."
    )
    var links: Bool?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How to name the files: server (as the server names them) or title (after the item, "
                + "with the extension of the URL or of the media type). Default: server.",
            valueName: "title|server"
        )
    )
    var fileNames: String?

    /// Returns the rules that are given; `nil` if there are none.
    ///
    /// An empty text removes all texts.
    func rules() throws(DownloadError) -> FeedRules? {
        var rules = FeedRules()
        if let every {
            rules.everySeconds = try usage("--every") { () throws(ValueError) in
                try FeedInterval.seconds(every)
            }
        }
        if !match.isEmpty { rules.match = match.filter { !$0.isEmpty } }
        if !exclude.isEmpty { rules.exclude = exclude.filter { !$0.isEmpty } }
        (rules.newest, rules.takesLinks) = (newest, links)
        rules.fileNames = try fileNames.map {
            (word) throws(DownloadError) -> FeedFileNames in
            guard let names = FeedFileNames(rawValue: word.lowercased()) else {
                throw .usage(
                    "--file-names: unknown value '\(word.sanitized(atMost: 40))'",
                    advice: "use title or server"
                )
            }
            return names
        }
        try rules.check()
        return rules == FeedRules() ? nil : rules
    }
}

/// Where the files of a feed are saved.
struct FeedOutputOptions: DownloadOptionGroup {
    @Option(
        name: [.customShort("d", allowingJoined: true), .long],
        parsing: .unconditional,
        help: ArgumentHelp("Save to this folder. Default: the current folder.", valueName: "dir")
    )
    var directory: String?

    @Option(setting: "if-exists") var ifExists: String?
    @Flag(setting: "remote-time") var remoteTime = false
    @Flag(setting: "xattr") var xattr = false
}
