internal import FoundationEssentials
internal import PawlWire

/// How values are stored in columns: as JSON, or as seconds since 1970.
enum ColumnCoding {
    static func text(_ value: (some Encodable)?) throws -> String? {
        try value.map { String(decoding: try WireJSON.encode($0), as: UTF8.self) }
    }

    /// Returns `nil` if the text cannot be decoded: the rest of the row is still useful.
    static func value<Value: Decodable>(_ text: String?) -> Value? {
        text.flatMap { try? WireJSON.decode(Value.self, from: $0.utf8) }
    }

    static func date(_ seconds: Double?) -> Date? {
        seconds.map { Date(timeIntervalSince1970: $0) }
    }

    /// An owner that a newer version has written is a token that this version does not know.
    static func owner(_ text: String) -> DownloadOwner { DownloadOwner(text) ?? .token(text) }
}
