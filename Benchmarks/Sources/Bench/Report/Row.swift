/// What one program did in a case.
struct Row: Codable, Sendable {
    let label: String
    let isPawl: Bool
    /// The least of all rounds.
    var measurement: Measurement?
    /// Why it does not count.
    var failure: String?
    var notes: [String] = []

    init(label: String, isPawl: Bool) {
        self.label = label
        self.isPawl = isPawl
    }
}

extension [Row] {
    func measurement(_ label: String) -> Measurement? {
        first { $0.label == label }?.measurement
    }

    /// The peer that is best in one figure.
    func bestPeer(_ figure: Figure) -> (label: String, value: Double)? {
        filter { !$0.isPawl }
            .compactMap { row in
                row.measurement.map { (label: row.label, value: figure.value(of: $0)) }
            }
            .min { $0.value < $1.value }
    }
}
