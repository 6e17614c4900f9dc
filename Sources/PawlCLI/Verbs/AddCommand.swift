internal import ArgumentParser
internal import PawlCore
internal import PawlWire

/// `pawl add`: hands downloads to the daemon.
struct AddCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Hand downloads to the daemon, which is started if it does not run.",
        usage: "pawl add [options] <url> ..."
    )

    @Argument(help: ArgumentHelp("What to fetch.", valueName: "url"))
    var urls: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("low, normal or high. Default: normal.", valueName: "priority")
    )
    var priority: String?

    @Flag(help: "Do not begin before pawl resume.")
    var paused = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Put the downloads into this session.", valueName: "name")
    )
    var session: String?

    @Flag(help: "Write JSON.")
    var json = false

    @OptionGroup(title: "What to fetch") var input: InputOptions
    @OptionGroup(title: "Where to") var output: OutputOptions
    @OptionGroup(title: "How") var transfer: TransferOptions
    @OptionGroup(title: "What is sent") var request: RequestOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let assignments =
            input.assignments + output.assignments + transfer.assignments + request.assignments
        let list: InputList? =
            if let path = input.inputFile { try InputFile.read(path) } else { nil }
        var book = try OrderBook(urls: urls, list: list, options: assignments)
        if let name = book.nameWithoutPassword {
            book.fill(password: try PasswordPrompt.ask(for: name, console: console))
        }
        var options = HandingOver()
        if let word = self.priority { options.priority = try Self.priority(word) }
        options.session = session
        options.isPaused = paused
        return try options.work(book.orders, json: json, console)
    }

    static func priority(_ word: String) throws(DownloadError) -> WirePriority {
        guard let priority = WirePriority(rawValue: word.lowercased()) else {
            throw DownloadError(
                .usage,
                "--priority: '\(word.sanitized)' is none",
                advice: "give low, normal or high"
            )
        }
        return priority
    }
}
