internal import Pawl
internal import PawlCore

/// The output of `pawl inspect`: names and values in order, as text or as JSON.
struct InspectionReport {
    private struct Row {
        var key: String
        var label: String
        var value: Value
    }

    enum Value {
        case text(String?)
        case bytes(Int64?)
        case flag(Bool)
        case number(Int64)
        case list([String])
        case ranges([Range<Int64>])
    }

    private var rows: [Row] = []

    init(_ source: SourceDescription) {
        add("name", "name", .text(source.suggestedName))
        add("bytes", "size", .bytes(source.totalBytes))
        add("mediaType", "type", .text(source.mediaType))
        add("resumable", "resumable", .flag(source.isResumable))
        add("acceptsRanges", "serves ranges", .flag(source.acceptsRanges))
        add("etag", "ETag", .text(source.entityTag))
        add("lastModified", "last modified", .text(source.lastModified))
        add("digests", "digests", .list(source.digests.map(\.description)))
        add("contentEncoding", "encoding", .text(source.contentEncoding))
        add("status", "status", .number(Int64(source.status)))
        add("protocol", "protocol", .text(source.protocolVersion))
        add("redirects", "redirected from", .list(source.redirects.map(\.redacted)))
        add("url", "URL", .text(source.finalURL.redacted))
    }

    init(_ checkpoint: CheckpointDescription) {
        add("partialFile", "partial file", .text(checkpoint.partialPath))
        add("checkpoint", "checkpoint", .text(checkpoint.checkpointPath))
        add("url", "URL", .text(checkpoint.source))
        add("mirrors", "mirrors", .list(checkpoint.mirrors))
        add("bytes", "size", .bytes(checkpoint.totalBytes))
        add("usableBytes", "usable", .bytes(checkpoint.usableBytes))
        add("mediaType", "type", .text(checkpoint.mediaType))
        add("etag", "ETag", .text(checkpoint.entityTag))
        add("lastModified", "last modified", .text(checkpoint.lastModified))
        add("sequence", "sequence", .number(Int64(clamping: checkpoint.sequence)))
        add("ofThisBoot", "from this boot", .flag(checkpoint.isOfThisBoot))
        add("written", "written", .ranges(checkpoint.written))
        add("durable", "durable", .ranges(checkpoint.durable))
    }

    private mutating func add(_ key: String, _ label: String, _ value: Value) {
        rows.append(Row(key: key, label: label, value: value))
    }

    /// One value per line, aligned; unknown values are left out.
    var text: String {
        let width = rows.map(\.label.count).max() ?? 0
        var text = ""
        for row in rows {
            var label = row.label
            for line in Self.lines(row.value) {
                text += label.padded(toColumns: width) + "  " + line.sanitized + "\n"
                label = ""
            }
        }
        return text
    }

    private static func lines(_ value: Value) -> [String] {
        switch value {
        case .text(let text): text.flatMap { $0.isEmpty ? nil : [$0] } ?? []
        case .bytes(let count): [count.map(sizeText) ?? "unknown"]
        case .flag(let flag): [flag ? "yes" : "no"]
        case .number(let number): ["\(number)"]
        case .list(let texts): texts
        case .ranges(let ranges): rangeLines(ranges)
        }
    }

    private static func sizeText(_ count: Int64) -> String {
        count < 1000 ? "\(count) bytes" : "\(ByteText.size(count)) (\(count) bytes)"
    }

    private static func rangeLines(_ ranges: [Range<Int64>]) -> [String] {
        let maximum = 16
        guard !ranges.isEmpty else { return ["none"] }
        let lines = ranges.prefix(maximum).map { range in
            "\(range.lowerBound)-\(range.upperBound - 1) (\(ByteText.size(Int64(range.count))))"
        }
        return ranges.count > maximum ? lines + ["and \(ranges.count - maximum) more"] : lines
    }

    var json: String {
        JSONOutput.pretty(
            Dictionary(rows.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        )
    }
}

extension InspectionReport.Value: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .bytes(let count): try container.encode(count)
        case .flag(let flag): try container.encode(flag)
        case .number(let number): try container.encode(number)
        case .list(let texts): try container.encode(texts)
        case .ranges(let ranges):
            try container.encode(ranges.map { [$0.lowerBound, $0.upperBound] })
        }
    }
}
