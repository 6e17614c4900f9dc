internal import ArgumentParser

/// The destination of a file, and its checksum.
struct OutputOptions: DownloadOptionGroup {
    @Option(
        name: [.customShort("o", allowingJoined: true), .long],
        parsing: .unconditional,
        help: ArgumentHelp(
            "Save to this file. A relative path is relative to --directory if given. For "
                + "standard output, use -.",
            valueName: "file"
        )
    )
    var output: String?

    @Option(
        name: [.customShort("d", allowingJoined: true), .long],
        parsing: .unconditional,
        help: ArgumentHelp("Save to this folder. Default: the current folder.", valueName: "dir")
    )
    var directory: String?

    @Option(setting: "if-exists") var ifExists: String?
    @Option(setting: "checksum") var checksum: String?
    @Flag(setting: "remote-time") var remoteTime = false
    @Flag(setting: "xattr") var xattr = false
}
