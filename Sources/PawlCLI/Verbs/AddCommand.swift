internal import ArgumentParser
internal import FoundationEssentials
internal import Pawl
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

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Do not begin before that: 22:00, '2026-11-22 22:00', +90m.",
            valueName: "time"
        )
    )
    var notBefore: String?

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
        book.notes.forEach(console.message)
        var options = HandingOver()
        if let word = self.priority { options.priority = try Self.priority(word) }
        options.notBefore = try notBefore.flatMap { (text) throws(DownloadError) in
            try Self.begin(text)
        }
        options.session = session
        options.isPaused = paused
        return try options.work(book.orders, json: json, console)
    }

    /// Nil is at once.
    static func begin(_ text: String) throws(DownloadError) -> Date? {
        try usage("--not-before") { () throws(ValueError) in
            try BeginText.parse(
                text,
                BeginText.Surroundings(
                    now: Int64(Date().timeIntervalSince1970),
                    utcOffset: LocalClock.utcOffset
                )
            )
        }.map { Date(timeIntervalSince1970: Double($0)) }
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
