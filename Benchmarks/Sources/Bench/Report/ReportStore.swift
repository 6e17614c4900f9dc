internal import FoundationEssentials

/// The documents that the benchmark writes: the figures, the page and the picture.
struct ReportStore {
    private let folder: String
    private let machine: MachineDescription
    private let tools: [String]

    init(folder: String, _ workshop: Workshop) throws {
        self.folder = folder
        machine = try .read(in: workshop)
        tools = try ToolVersions.read(in: workshop)
    }

    /// Adds a report to those of earlier runs.
    ///
    /// Earlier reports from another machine or other versions of the tools are dropped.
    func add(_ report: CaseReport) throws {
        var book = ReportBook(machine: machine, tools: tools, cases: [])
        if let earlier = try readBook(), earlier.machine == machine, earlier.tools == tools {
            book = earlier
        }
        book.take(report, order: Catalogue.all.map(\.name))
        try Self.write(book, to: path("json"))
        try Files.write(MarkdownReport(book).text, to: path("md"))
        try Files.write(PictureReport(book.cases).text, to: path("svg"))
        for regret in book.cases.compactMap(\.regret) {
            try Files.write(HeatMap(regret).text, to: folder + "/regret.svg")
        }
    }

    static func write(_ value: some Encodable, to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let text = String(decoding: try encoder.encode(value), as: UTF8.self)
        try Files.write(text + "\n", to: path)
    }

    private func readBook() throws -> ReportBook? {
        guard Files.exists(path("json")) else { return nil }
        let text = try Files.text(path("json"))
        return try JSONDecoder().decode(ReportBook.self, from: Data(text.utf8))
    }

    private func path(_ kind: String) -> String { folder + "/benchmarks." + kind }
}
