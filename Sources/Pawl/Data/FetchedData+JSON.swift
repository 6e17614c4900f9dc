public import class FoundationEssentials.JSONDecoder
public import PawlCore

extension FetchedData {
    /// Decodes the body from JSON.
    ///
    /// ```swift
    /// let release = try await session.data(from: url).json(Release.self)
    /// ```
    ///
    /// - Throws: `DownloadError` that names the place of the mistake in the document.
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
                "the response is not the expected JSON: \(Self.fault(error))",
                advice: "check the URL and the response's header fields",
                context: "reading \(response.url.redacted) as JSON"
            )
        }
    }

    private static func fault(_ error: any Error) -> String {
        switch error as? DecodingError {
        case .keyNotFound(let key, let context):
            return "\(place(context.codingPath)) has no '\(key.stringValue)'"
        case .valueNotFound(let type, let context):
            return "\(place(context.codingPath)) is null instead of \(type)"
        case .typeMismatch(let type, let context):
            return "\(place(context.codingPath)) is not of type \(type)"
        case .dataCorrupted(let context):
            guard !context.codingPath.isEmpty else { return context.debugDescription }
            return "\(place(context.codingPath)) is not valid: \(context.debugDescription)"
        default: return "it could not be decoded"
        }
    }

    /// Returns a place such as `users[3].name`.
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
