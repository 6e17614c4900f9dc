internal import ArgumentParser

/// Where the file goes, and what it must be.
struct OutputOptions: OrderOptions {
    @Option(
        name: [.customShort("o", allowingJoined: true), .long],
        parsing: .unconditional,
        help: ArgumentHelp(
            "Write to this file; below --directory, if that is given too.",
            valueName: "file"
        )
    )
    var output: String?

    @Option(
        name: [.customShort("d", allowingJoined: true), .long],
        parsing: .unconditional,
        help: ArgumentHelp("Write into this folder. Default: the current one.", valueName: "dir")
    )
    var directory: String?

    @Option(setting: "if-exists") var ifExists: String?
    @Option(setting: "checksum") var checksum: String?
}
