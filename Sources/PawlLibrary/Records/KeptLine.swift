internal import struct FoundationEssentials.Data
internal import class FoundationEssentials.JSONDecoder
internal import class FoundationEssentials.JSONEncoder
internal import PawlCore

/// A value stored as one line of JSON with the version of its format.
///
/// It is read from a disk that others can write to.
struct KeptLine<Content: Codable>: Codable {
    private enum CodingKeys: String, CodingKey { case pawl }

    private static var version: Int { 1 }
    let content: Content

    init(_ content: Content) { self.content = content }

    /// Returns `nil` for anything but the output of `text`, and for a newer version.
    init?(text: String, longest: Int) {
        // The caller, who knows the file, reports a line that is not valid.
        guard text.utf8.count <= longest,
            let line = try? JSONDecoder().decode(Self.self, from: Data(text.utf8))
        else { return nil }
        self = line
    }

    /// The line, with sorted keys: equal values give equal texts.
    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Numbers and texts can always be encoded.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        guard try values.decode(Int.self, forKey: .pawl) == Self.version else {
            throw MalformedBytes(what: "it has another version")
        }
        content = try Content(from: decoder)
    }

    func encode(to encoder: any Encoder) throws {
        try content.encode(to: encoder)
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(Self.version, forKey: .pawl)
    }
}
