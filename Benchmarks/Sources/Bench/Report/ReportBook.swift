/// The results for one machine, combined from the runs of single cases.
struct ReportBook: Codable, Sendable {
    var machine: MachineDescription
    var tools: [String]
    var cases: [CaseReport]

    /// Replaces the report of the same case by a newer one.
    ///
    /// The order is the catalogue's.
    mutating func take(_ report: CaseReport, order: [String]) {
        cases = (cases.filter { $0.name != report.name } + [report])
            .compactMap { report in
                order.firstIndex(of: report.name).map { (position: $0, report: report) }
            }
            .sorted { $0.position < $1.position }
            .map(\.report)
    }
}
