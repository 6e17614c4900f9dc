internal import FoundationEssentials
internal import Glibc

/// All that is known of one machine: what single runs of cases brought, kept together.
struct ReportBook: Codable, Sendable {
    var machine: MachineDescription
    var tools: [String]
    var cases: [CaseReport]

    /// Takes newer reports in place of those of the same cases, in the order of the catalogue.
    mutating func take(_ reports: [CaseReport], order: [String]) {
        let names = Set(reports.map(\.name))
        cases = (cases.filter { !names.contains($0.name) } + reports)
            .compactMap { report in
                order.firstIndex(of: report.name).map { (place: $0, report: report) }
            }
            .sorted { $0.place < $1.place }
            .map(\.report)
    }
}

/// The documents that the benchmark writes: the figures, and from them text and picture.
struct ReportStore {
    let folder: String

    /// Adds reports to those of earlier runs; these are dropped if another machine made them.
    func add(
        _ reports: [CaseReport],
        machine: MachineDescription,
        tools: [String]
    ) throws {
        var book = ReportBook(machine: machine, tools: tools, cases: [])
        if let earlier = try readBook(), earlier.machine == machine, earlier.tools == tools {
            book = earlier
        }
        book.take(reports, order: Catalogue.all.map(\.name))
        try Self.write(book, to: path("json"))
        try Files.write(MarkdownReport(book).text, to: path("md"))
        try Files.write(PictureReport(book.cases).text, to: path("svg"))
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
