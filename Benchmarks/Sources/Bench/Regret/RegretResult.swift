/// The results of the case `regret`.
struct RegretResult: Codable, Sendable {
    /// The results in one cell.
    struct Entry: Codable, Sendable {
        let cell: RegretCell
        let rows: [Row]

        /// The time of Pawl with its own number of connections, over the shortest time of all
        /// programs and numbers; `nil` if it was not measured.
        var regret: Double? { ratio(of: Toolbox.pawlName) }

        /// The same for a later download.
        var laterRegret: Double? { ratio(of: RegretResult.laterLabel) }

        /// The time of a row over the shortest time of all, without the later download.
        func ratio(of label: String) -> Double? {
            let best = others.compactMap(\.measurement?.wallSeconds).min()
            guard let best, let own = rows.measurement(label)?.wallSeconds else { return nil }
            return own / best
        }

        /// The label of the row with the shortest time.
        var best: String? {
            others.filter { $0.measurement != nil }.min {
                ($0.measurement?.wallSeconds ?? 0) < ($1.measurement?.wallSeconds ?? 0)
            }?.label
        }

        private var others: [Row] { rows.filter { $0.label != RegretResult.laterLabel } }
    }

    /// The row of Pawl with its own number of connections and what earlier downloads have learned.
    static let laterLabel = "pawl, later"

    /// The seed that determined the variation of the cells.
    let seed: UInt64
    var entries: [Entry] = []

    /// The labels of all rows, in their order.
    var labels: [String] {
        entries.flatMap(\.rows).map(\.label).reduce(into: []) { labels, label in
            if !labels.contains(label) { labels.append(label) }
        }
    }

    var mean: Double? { Self.mean(entries.compactMap(\.regret)) }

    var worst: Double? { entries.compactMap(\.regret).max() }

    var laterMean: Double? { Self.mean(entries.compactMap(\.laterRegret)) }

    var laterWorst: Double? { entries.compactMap(\.laterRegret).max() }

    private static func mean(_ values: [Double]) -> Double? {
        values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
    }

    /// The lines of a table: the cell, then the ratio of each row.
    var lines: [[String]] {
        entries.map { entry in
            [entry.cell.title]
                + labels.map { entry.ratio(of: $0).map { FigureText.ratio($0) } ?? "-" }
        }
    }
}
