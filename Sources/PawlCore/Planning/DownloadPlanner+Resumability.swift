extension DownloadPlanner {
    /// Whether a source serves ranges; nil where nothing tells yet.
    package var acceptsRanges: Bool? {
        if sources.contains(where: { $0.ranges == .usable }) { return true }
        return sources.contains { $0.ranges == .unknown } ? nil : false
    }
}
