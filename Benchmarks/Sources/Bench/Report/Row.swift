/// The results of one program in a case.
struct Row: Codable, Sendable {
    enum Kind: String, Codable, Sendable {
        case pawl, peer
        /// A program for comparison that is not a competitor.
        case yardstick
    }

    let label: String
    let kind: Kind
    /// The minimum of all rounds.
    var measurement: Measurement?
    /// The reason why the program is disqualified.
    var failure: String?
    var notes: [String] = []

    init(label: String, kind: Kind) {
        self.label = label
        self.kind = kind
    }
}

extension [Row] {
    func measurement(_ label: String) -> Measurement? {
        first { $0.label == label }?.measurement
    }

    /// Returns the peer that is best in one figure.
    func bestPeer(_ figure: Figure) -> (label: String, value: Double)? {
        filter { $0.kind == .peer && $0.failure == nil }
            .compactMap { row in
                row.measurement.flatMap(figure.value).map { (label: row.label, value: $0) }
            }
            .min { $0.value < $1.value }
    }
}
