internal import ArgumentParser
internal import PawlCore
internal import PawlWire

/// How downloads are put into the daemon's queue.
struct AddedDownloadOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The priority of the downloads: low, normal or high. Default: the label's priority, or "
                + "normal.",
            valueName: "priority"
        )
    )
    var priority: String?

    @Flag(help: "Add the downloads as paused; start them with pawl resume.")
    var paused = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Add the downloads to this session.", valueName: "name")
    )
    var session: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Give the downloads this label. They use its folder and priority, unless you give "
                + "others.",
            valueName: "name"
        )
    )
    var label: String?

    /// Returns the given label; `nil` if none is given.
    func givenLabel() throws(DownloadError) -> String? {
        if let label { try LabelName.check(label) }
        return label
    }

    /// Returns the given priority; `nil` if none is given.
    func givenPriority() throws(DownloadError) -> WirePriority? {
        try priority.map { (word) throws(DownloadError) in try Self.priority(word) }
    }

    static func priority(_ word: String) throws(DownloadError) -> WirePriority {
        guard let priority = WirePriority(rawValue: word.lowercased()) else {
            throw .usage("invalid priority '\(word.sanitized)'", advice: "use low, normal or high")
        }
        return priority
    }
}
