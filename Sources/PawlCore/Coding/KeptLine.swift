internal import struct FoundationEssentials.Data
internal import class FoundationEssentials.JSONDecoder
internal import class FoundationEssentials.JSONEncoder

/// A value kept as JSON in one line, with the version of its form.
///
/// It comes from a disk that others write to.
struct KeptLine<Content: Codable>: Codable {
    private enum CodingKeys: String, CodingKey { case pawl }

    private static var version: Int { 1 }
    let content: Content

    init(_ content: Content) { self.content = content }

    /// Nil for anything but what `text` gives, and for a newer version.
    init?(text: String, longest: Int) {
        // What makes no sense is reported by the caller, who knows the file.
        guard text.utf8.count <= longest,
            let line = try? JSONDecoder().decode(Self.self, from: Data(text.utf8))
        else { return nil }
        self = line
    }

    /// Its keys in order: the same value is the same text.
    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Numbers and texts can always be encoded.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        guard try values.decode(Int.self, forKey: .pawl) == Self.version else {
            throw MalformedBytes(what: "of another version")
        }
        content = try Content(from: decoder)
    }

    func encode(to encoder: any Encoder) throws {
        try content.encode(to: encoder)
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(Self.version, forKey: .pawl)
    }
}
