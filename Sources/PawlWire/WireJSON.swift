internal import FoundationEssentials
package import PawlCore

/// The protocol's JSON: sorted keys, times in RFC 3339, and no members for `nil`.
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

    /// Encodes a text as ``encode(_:)`` does, and much faster if nothing in it needs an escape.
    package static func encodeText(_ text: String) throws(DownloadError) -> [UInt8] {
        let quote = UInt8(ascii: "\"")
        let isPlain = text.utf8.allSatisfy {
            $0 >= 0x20 && $0 < 0x7F && $0 != quote && $0 != UInt8(ascii: "\\")
        }
        guard isPlain else { return try encode(text) }
        var json = [quote]
        json += text.utf8
        json.append(quote)
        return json
    }

    /// Decodes a value.
    ///
    /// Throws `.badResponse` if the bytes are not such a value.
    package static func decode<Value: Decodable>(
        _ type: Value.Type,
        from bytes: some Sequence<UInt8>
    ) throws(DownloadError) -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        do {
            return try decoder.decode(type, from: Data(bytes))
        } catch let unknown as UnknownMember {
            throw .usage(
                "unknown member '\(path(unknown.path).sanitized(atMost: 100))'",
                advice: "use \(unknown.known.joined(separator: ", "))"
            )
        } catch {
            throw DownloadError(.badResponse, WireJSON.reason(error))
        }
    }

    /// Decodes the body of a request.
    ///
    /// Throws `.usage` for an unknown member, and `.badResponse` if the bytes are not such a value.
    package static func decodeRequest<Value: RequestObject>(
        _ type: Value.Type,
        from bytes: some Sequence<UInt8>
    ) throws(DownloadError) -> Value {
        try decode(StrictRequest<Value>.self, from: bytes).value
    }

    /// A value whose members are checked before they are decoded.
    private struct StrictRequest<Value: RequestObject>: Decodable {
        let value: Value

        init(from decoder: any Decoder) throws {
            try Value.knownMembers.check(decoder)
            value = try Value(from: decoder)
        }
    }

    private static func reason(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "not valid JSON" }
        let (context, what): (DecodingError.Context?, String) =
            switch error {
            case .keyNotFound(let key, let context): (context, "'\(key.stringValue)' is missing")
            case .typeMismatch(let type, let context): (context, "expected \(name(of: type))")
            case .valueNotFound(let type, let context):
                (context, "expected \(name(of: type)), got null")
            case .dataCorrupted(let context): (context, mistake(in: context))
            @unknown default: (nil, "not valid JSON")
            }
        guard let context, !context.codingPath.isEmpty else { return what }
        return "'\(path(context.codingPath))': \(what)"
    }

    /// The path of a value; the items of a list are counted from 1.
    private static func path(_ keys: [any CodingKey]) -> String {
        keys.map { key in key.intValue.map { "\($0 + 1)" } ?? key.stringValue }
            .joined(separator: ".")
    }

    /// Describes the mistake in the protocol's terms if the decoder's description uses Swift's.
    private static func mistake(in context: DecodingError.Context) -> String {
        let text = context.debugDescription
        if text.contains("not valid JSON") {
            return "not valid JSON, or a number in it is out of range"
        }
        let spoken = text.split(separator: " ")
        if text.hasPrefix("Cannot initialize "), spoken.count > 3 {
            let known = words[String(spoken[2])]?.joined(separator: ", ")
            return "invalid value '\(spoken[spoken.count - 1])'"
                + (known.map { "; use one of \($0)" } ?? "")
        }
        guard text.contains("ISO8601") else { return text }
        return "a time must have the form 2026-11-22T22:00:00Z (RFC 3339)"
    }

    /// The allowed words of each type that a request may contain and whose values are words.
    private static let words = [
        "\(WirePriority.self)": WirePriority.allCases.map(\.rawValue),
        "\(ExistingFilePolicy.self)": ExistingFilePolicy.allCases.map(\.rawValue),
    ]

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is any BinaryInteger.Type, is Double.Type: "a number"
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is any RangeReplaceableCollection.Type: "a list"
        default: "an object"
        }
    }
}
