public import class FoundationEssentials.JSONDecoder
public import PawlCore

extension FetchedData {
    /// The body as a value, from JSON.
    ///
    /// ```swift
    /// let release = try await session.data(from: url).json(Release.self)
    /// ```
    ///
    /// - Throws: `DownloadError` that says where in the document what was wrong.
    public func json<Value: Decodable>(
        _ type: Value.Type = Value.self,
        decoder: JSONDecoder = JSONDecoder()
    ) throws(DownloadError) -> Value {
        try requireUncoded(as: "JSON")
        do {
            return try decoder.decode(type, from: data)
        } catch {
            throw DownloadError(
                .badResponse,
                "the answer is not the JSON that was expected: \(Self.fault(error))",
                advice: "check the address, and what the server says of the answer",
                context: "reading \(response.url.redacted) as JSON"
            )
        }
    }

    private static func fault(_ error: any Error) -> String {
        switch error as? DecodingError {
        case .keyNotFound(let key, let context):
            return "\(place(context.codingPath)) has no '\(key.stringValue)'"
        case .valueNotFound(let type, let context):
            return "\(place(context.codingPath)) is null where \(type) is wanted"
        case .typeMismatch(let type, let context):
            return "\(place(context.codingPath)) is no \(type)"
        case .dataCorrupted(let context):
            guard !context.codingPath.isEmpty else { return context.debugDescription }
            return "\(place(context.codingPath)) makes no sense: \(context.debugDescription)"
        default: return "it could not be decoded"
        }
    }

    /// `users[3].name`.
    private static func place(_ path: [any CodingKey]) -> String {
        guard !path.isEmpty else { return "the document" }
        return path.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }
}
