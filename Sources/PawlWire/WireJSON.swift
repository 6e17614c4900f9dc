internal import FoundationEssentials
package import PawlCore

/// The protocol's JSON: keys sorted, times in RFC 3339, what is nil left out.
package enum WireJSON {
    package static func encode(_ value: some Encodable) throws(DownloadError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        do {
            return Array(try encoder.encode(value))
        } catch {
            throw DownloadError(.unknown, "\(type(of: value)) cannot be written as JSON: \(error)")
        }
    }

    /// Throws `.badResponse`, as what came from elsewhere is no such value.
    package static func decode<Value: Decodable>(
        _ type: Value.Type,
        from bytes: some Sequence<UInt8>
    ) throws(DownloadError) -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        do {
            return try decoder.decode(type, from: Data(bytes))
        } catch {
            throw DownloadError(.badResponse, WireJSON.reason(error))
        }
    }

    private static func reason(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "it is no JSON" }
        let (context, what): (DecodingError.Context?, String) =
            switch error {
            case .keyNotFound(let key, let context): (context, "'\(key.stringValue)' is missing")
            case .typeMismatch(let type, let context): (context, "it is no \(name(of: type))")
            case .valueNotFound(let type, let context):
                (context, "the \(name(of: type)) is missing")
            case .dataCorrupted(let context): (context, mistake(in: context))
            @unknown default: (nil, "it is no JSON")
            }
        let path = (context?.codingPath ?? []).map { key in
            key.intValue.map { "\($0 + 1)" } ?? key.stringValue
        }
        guard !path.isEmpty else { return what }
        return "'\(path.joined(separator: "."))': \(what)"
    }

    /// In words of ours, where the decoder's are Swift's.
    private static func mistake(in context: DecodingError.Context) -> String {
        let text = context.debugDescription
        if text.contains("not valid JSON") {
            return "it is no JSON, or a number in it does not fit where it stands"
        }
        let spoken = text.split(separator: " ")
        if text.hasPrefix("Cannot initialize "), spoken.count > 3 {
            let known = words[String(spoken[2])]?.joined(separator: ", ")
            return "'\(spoken[spoken.count - 1])' is none of the words that it may be"
                + (known.map { ": \($0)" } ?? "")
        }
        guard text.contains("ISO8601") else { return text }
        return "a time has the form of 2026-11-22T22:00:00Z (RFC 3339)"
    }

    /// Of each type whose values are words, and that a request may have.
    private static let words = [
        "\(WirePriority.self)": WirePriority.allCases.map(\.rawValue),
        "\(ExistingFilePolicy.self)": ExistingFilePolicy.allCases.map(\.rawValue),
    ]

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is any BinaryInteger.Type, is Double.Type: "number"
        case is String.Type: "text"
        case is Bool.Type: "truth value"
        case is any RangeReplaceableCollection.Type: "list"
        default: "object"
        }
    }
}
