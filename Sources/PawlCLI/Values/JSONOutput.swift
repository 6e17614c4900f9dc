internal import class FoundationEssentials.JSONEncoder

/// Encodes values as JSON on one line, or on several lines for readers.
enum JSONOutput {
    static func line(_ value: some Encodable) -> String { encode(value, [.sortedKeys]) }

    static func pretty(_ value: some Encodable) -> String {
        encode(value, [.sortedKeys, .prettyPrinted])
    }

    private static func encode(
        _ value: some Encodable,
        _ formatting: JSONEncoder.OutputFormatting
    ) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting.union(.withoutEscapingSlashes)
        encoder.dateEncodingStrategy = .iso8601
        // Encoding fails only for numbers that are not finite, and all numbers are integers.
        let data = try? encoder.encode(value)
        return data.map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
