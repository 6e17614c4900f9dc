internal import PawlCore
package import PawlWire

/// The output of `pawl fleet` and its subcommands.
package enum FleetReport {
    // MARK: - Nodes

    /// The nodes, and the queue by state and host.
    ///
    /// `width`: the width of the terminal, to which lines are shortened; `nil` shortens nothing.
    package static func fleet(_ fleet: WireFleet, width: Int? = nil) -> String {
        let headings = ["NODE", "STATE", "TAKEN", "RUNNING", "SPEED", "CONN", "LEASE", "VERSION"]
        var parts = [String.columns([headings] + fleet.nodes.map(cells), width: width)]
        let queue = fleet.counts.isEmpty ? "no downloads" : fleet.counts.statesText
        parts.append("Queue: \(queue)\n")
        let states = TaskState.allCases.filter { state in
            fleet.hosts.contains { ($0.counts[state.rawValue] ?? 0) > 0 }
        }
        if !states.isEmpty {
            let rows = fleet.hosts.map { queue in
                states.map { state in "\(queue.counts[state.rawValue] ?? 0)" } + [host(queue.host)]
            }
            let headings = states.map { $0.word.uppercased() } + ["HOST"]
            parts.append(.columns([headings] + rows, width: width))
        }
        return parts.joined(separator: "\n")
    }

    private static func cells(_ node: WireNode) -> [String] {
        [
            node.name.sanitized + (node.isSelf ? " (asked)" : ""), node.state.rawValue,
            "\(node.downloads)", "\(node.running)",
            node.bytesPerSecond.map { ByteText.rate(Double($0)) } ?? "-",
            node.connections.map { "\($0)" } ?? "-",
            node.lagSeconds.map { "\(TimeText.elapsed(.seconds($0))) ago" } ?? "-",
            node.version.sanitized,
        ]
    }

    // MARK: - Failures

    /// `width`: the width of the terminal, to which lines are shortened; `nil` shortens nothing.
    package static func failures(_ failures: WireFailures, width: Int? = nil) -> String {
        guard !failures.failures.isEmpty else { return "No failures.\n" }
        let rows = failures.failures.map { group in
            [
                group.kind.rawValue.sanitized, "\(group.count)", host(group.host),
                "\(group.download)", group.title.sanitized,
            ]
        }
        return .columns([["KIND", "COUNT", "HOST", "LAST", "ERROR"]] + rows, width: width)
    }

    private static func host(_ name: String?) -> String {
        guard let name else { return "(other hosts)" }
        return name.isEmpty ? "-" : name.sanitized
    }

    // MARK: - Uploads

    /// `width`: the width of the terminal, to which lines are shortened; `nil` shortens nothing.
    package static func leftovers(
        _ uploads: [WireLeftover],
        _ buckets: [WireBucketUploads],
        width: Int? = nil
    ) -> String {
        var parts: [String] = []
        if !uploads.isEmpty {
            let headings = ["DOWNLOAD", "STATE", "AGE", "PARTS", "SIZE", "ABORTED", "OBJECT"]
            parts.append(.columns([headings] + uploads.map(cells), width: width))
        }
        for bucket in buckets where !bucket.uploads.isEmpty {
            let title = "In \(bucket.bucket.sanitized), of no download in the queue:"
            let rows = bucket.uploads.map { upload in
                [upload.begun?.sanitized ?? "-", upload.object.sanitized]
            }
            let end = bucket.hasMore ? "... and more\n" : ""
            parts.append("\(title)\n" + .columns([["BEGUN", "OBJECT"]] + rows, width: width) + end)
        }
        return parts.isEmpty ? "No uploads are left.\n" : parts.joined(separator: "\n")
    }

    private static func cells(_ upload: WireLeftover) -> [String] {
        [
            "\(upload.download)", upload.state?.word ?? "removed",
            TimeText.clock(.seconds(upload.ageSeconds)), "\(upload.parts)",
            ByteText.size(upload.bytes),
            upload.abortedInSeconds == 0
                ? "soon" : "in \(TimeText.clock(.seconds(upload.abortedInSeconds)))",
            upload.object.sanitized,
        ]
    }
}
