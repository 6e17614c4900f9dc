/// Words of advice that differ by more than the name of a setting.
///
/// The raw value is its name in templates.
package enum AdvicePhrase: String, Sendable, CaseIterable {
    /// The operation that failed, once more.
    case runAgain = "run-again"
    /// The operation that was interrupted, once more.
    case resume
    /// A name that the file could have instead.
    case otherName = "other-name"
    /// A name or a folder that the file could have instead.
    case otherPlace = "other-place"
    case shorterName = "shorter-name"
    case otherFileSystem = "other-file-system"
    /// What takes the path of a folder.
    case folder
    /// Said of a wait that is too long.
    case longerThanAllowed = "longer-than-allowed"

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
        case .otherPlace:
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
        case .longerThanAllowed:
            // The command has no option for it.
            (
                "longer than \(AdviceSetting.maximumRetryAfter.name(for: .library)) allows",
                "longer than Pawl waits",
                "longer than \(AdviceSetting.maximumRetryAfter.name(for: .api)) allows"
            )
        }
    }
}
