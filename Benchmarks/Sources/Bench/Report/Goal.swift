/// A target for a figure.
struct Goal: Codable, Sendable {
    enum Unit: String, Codable, Sendable {
        /// A ratio.
        case times
        case milliseconds
        case mebibytes
        case count
    }

    let text: String
    /// The value; `nil` if it could not be measured.
    let value: Double?
    let limit: Double
    let unit: Unit

    var isReached: Bool { value.map { $0 <= limit } ?? false }

    init(_ text: String, _ value: Double?, atMost limit: Double, _ unit: Unit = .times) {
        self.text = text
        self.value = value
        self.limit = limit
        self.unit = unit
    }

    /// Compares a row's figure with that of the best peer.
    static func againstBestPeer(
        _ figure: Figure,
        of label: String = Toolbox.pawlName,
        in rows: [Row],
        atMost limit: Double = 1.0
    ) -> Goal {
        let ours = rows.measurement(label).flatMap(figure.value)
        let best = rows.bestPeer(figure)
        let name = best?.label ?? "no peer"
        let value = ours.flatMap { ours in best.map { ours / $0.value } }
        return Goal("\(figure.rawValue) of \(label) / best peer (\(name))", value, atMost: limit)
    }

    /// Compares a row's figure with another row's.
    static func ratio(
        _ label: String,
        to other: String,
        _ figure: Figure,
        in rows: [Row],
        atMost limit: Double
    ) -> Goal {
        let ours = rows.measurement(label).flatMap(figure.value)
        let theirs = rows.measurement(other).flatMap(figure.value)
        let value = ours.flatMap { ours in theirs.map { ours / $0 } }
        return Goal("\(figure.rawValue) of \(label) / \(other)", value, atMost: limit)
    }

    /// Compares a row's time with the minimum that is possible.
    static func againstIdeal(
        _ label: String,
        _ idealSeconds: Double,
        in rows: [Row],
        atMost limit: Double
    ) -> Goal {
        let value = rows.measurement(label).map { $0.wallSeconds / idealSeconds }
        return Goal("wall of \(label) / ideal", value, atMost: limit)
    }
}
