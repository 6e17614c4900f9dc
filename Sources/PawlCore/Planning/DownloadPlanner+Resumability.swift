extension DownloadPlanner {
    /// Whether the server serves ranges; nil where nothing tells yet.
    package var acceptsRanges: Bool? {
        switch source.ranges {
        case .unknown: nil
        case .usable: true
        case .unusable: false
        }
    }
}
