/// The coded form has a member for each property; unknown sizes are left out.
///
/// Members that are missing have their defaults, and unknown members of later versions are ignored.
/// An unknown phase becomes ``DownloadPhase/waiting``, and a negative number becomes 0.
extension DownloadProgress: Codable {
    private enum CodingKeys: CodingKey {
        case completedBytes, resumedBytes, totalBytes, bytesPerSecond, connections, segments, phase
        case name
    }

    /// Decodes a progress.
    public init(from decoder: any Decoder) throws {
        self.init()
        let members = try decoder.container(keyedBy: CodingKeys.self)
        completedBytes = try members.number(.completedBytes) ?? 0
        resumedBytes = try members.number(.resumedBytes) ?? 0
        totalBytes = try members.number(.totalBytes)
        bytesPerSecond = try members.number(.bytesPerSecond) ?? 0
        connections = try members.number(.connections) ?? 0
        segments = try members.decodeIfPresent([SegmentProgress].self, forKey: .segments) ?? []
        phase =
            try members.decodeIfPresent(String.self, forKey: .phase)
            .flatMap(DownloadPhase.init(rawValue:)) ?? .waiting
        name = try members.decodeIfPresent(String.self, forKey: .name) ?? ""
    }

    /// Encodes the progress.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(completedBytes, forKey: .completedBytes)
        try members.encode(resumedBytes, forKey: .resumedBytes)
        try members.encodeIfPresent(totalBytes, forKey: .totalBytes)
        try members.encode(bytesPerSecond, forKey: .bytesPerSecond)
        try members.encode(connections, forKey: .connections)
        try members.encode(segments, forKey: .segments)
        try members.encode(phase.rawValue, forKey: .phase)
        try members.encode(name, forKey: .name)
    }
}

extension KeyedDecodingContainer {
    /// Returns a number, and 0 instead of a negative one.
    fileprivate func number<Number: Decodable & Comparable & ExpressibleByIntegerLiteral>(
        _ key: Key
    ) throws -> Number? {
        try decodeIfPresent(Number.self, forKey: key).map { max(0, $0) }
    }
}

/// The coded form has the members `start`, `end` and `completedBytes`.
extension SegmentProgress: Codable {
    private enum CodingKeys: CodingKey {
        case start, end, completedBytes
    }

    /// Decodes a segment; a negative start, and an end before the start, are errors.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let start = try members.decode(Int64.self, forKey: .start)
        let end = try members.decode(Int64.self, forKey: .end)
        guard 0 <= start, start <= end else {
            throw DecodingError.dataCorruptedError(
                forKey: .end,
                in: members,
                debugDescription: "the segment is not a range of a file"
            )
        }
        self.init(range: start..<end, completedBytes: try members.number(.completedBytes) ?? 0)
    }

    /// Encodes the segment.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(range.lowerBound, forKey: .start)
        try members.encode(range.upperBound, forKey: .end)
        try members.encode(completedBytes, forKey: .completedBytes)
    }
}
