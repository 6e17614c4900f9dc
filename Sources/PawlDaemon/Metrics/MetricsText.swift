/// Metrics in the text format of Prometheus (exposition format 0.0.4).
package struct MetricsText: Sendable {
    package private(set) var text = ""

    package static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    package init() {}

    package enum Kind: String, Sendable {
        case counter, gauge
    }

    package typealias Labels = [(name: String, value: String)]

    /// Adds a metric with its lines of help and type; adds nothing if there is no sample.
    package mutating func add(
        _ name: String,
        _ kind: Kind,
        _ help: String,
        _ samples: [(labels: Labels, value: Double)]
    ) {
        guard !samples.isEmpty else { return }
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        for sample in samples {
            let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
            let labelText = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
            text += "\(name)\(labelText) \(Self.number(sample.value))\n"
        }
    }

    package mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
        add(name, kind, help, [(labels: [], value: value)])
    }

    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n")
    }
}
