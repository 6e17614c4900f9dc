/// A label: what its downloads have in common.
package struct WireLabel: Codable, Sendable, Hashable {
    package var name: String
    /// The number of its downloads per state.
    package var counts: [String: Int]
    /// The folder of downloads that are added with the label and without a folder; it ends in a
    /// slash.
    package var folder: String?
    /// The maximum speed of its downloads together; `nil` leaves only the other limits.
    package var limitBytesPerSecond: Int64?
    /// The priority of downloads that are added with the label and without a priority.
    package var priority: WirePriority?

    package init(name: String, counts: [String: Int] = [:]) {
        (self.name, self.counts) = (name, counts)
    }
}

/// A page of the labels, sorted by name.
package struct WireLabels: Codable, Sendable, Hashable {
    package var labels: [WireLabel]
    /// The value of `after` for the next page; `nil` on the last page.
    package var next: String?

    package init(_ labels: [WireLabel], next: String? = nil) {
        (self.labels, self.next) = (labels, next)
    }
}
