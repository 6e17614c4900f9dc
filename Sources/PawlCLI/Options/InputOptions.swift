internal import ArgumentParser
internal import PawlCore

/// The options that name lists of downloads.
struct ListOptions: DownloadOptionGroup {
    @Option(
        name: [.customShort("i", allowingJoined: true), .long],
        parsing: .unconditional,
        help: ArgumentHelp(
            "Read the URLs to download from this list, one per line; - is standard input. Lists in "
                + "the formats of aria2, JSON, CSV and Metalink are read, too.",
            valueName: "file|url|-"
        )
    )
    var inputFile: String?

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Download the files that a Metalink describes (.meta4, .metalink), instead of the "
                + "Metalink itself."
        )
    )
    var followMetalink = true

    @Option(
        help: ArgumentHelp(
            "Prefer a Metalink's sources in these countries, most preferred first, such as de,fr.",
            valueName: "countries"
        )
    )
    var metalinkLocation: String?

    /// Returns what the arguments of a command name.
    func choice(_ arguments: [String]) throws(DownloadError) -> InputChoice {
        var reading = InputList.Reading()
        let countries = metalinkLocation.map { $0.lowercased().split(separator: ",") } ?? []
        reading.countries = countries.map { $0.trimmed }
        guard reading.countries.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy(\.isLetter) })
        else {
            throw .usage(
                "--metalink-location: '\(metalinkLocation?.sanitized ?? "")' is not a list of countries",
                advice: "write two-letter country codes, such as de,fr"
            )
        }
        return InputChoice(
            arguments,
            list: inputFile,
            followsMetalinks: followMetalink,
            reading
        )
    }
}

/// The options that describe one file and its sources.
struct SourceOptions: DownloadOptionGroup {
    @Option(setting: "mirror") var mirror: [String] = []
    @Flag(setting: "no-server-mirrors") var noServerMirrors = false
    @Option(setting: "size") var size: String?
    @Option(setting: "pieces") var pieces: String?
}
