/// All that is known of one machine: what single runs of cases brought, kept together.
struct ReportBook: Codable, Sendable {
    var machine: MachineDescription
    var tools: [String]
    var cases: [CaseReport]

    /// Takes a newer report in place of that of the same case; the order is the catalogue's.
    mutating func take(_ report: CaseReport, order: [String]) {
        cases = (cases.filter { $0.name != report.name } + [report])
            .compactMap { report in
                order.firstIndex(of: report.name).map { (place: $0, report: report) }
            }
            .sorted { $0.place < $1.place }
            .map(\.report)
    }
}
