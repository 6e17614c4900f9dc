/// A value of Apple's property lists, as far as resume data need them.
package enum PropertyList: Hashable, Sendable {
    /// More bytes are not read: resume data have some thousand.
    package static let longest = 1 << 20

    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    /// In seconds since 2001.
    case date(Double)
    case text(String)
    case data([UInt8])
    /// The place of an object in a keyed archive.
    case reference(Int)
    case array([PropertyList])
    case dictionary([String: PropertyList])

    /// Reads the binary or the XML form.
    package init(_ bytes: [UInt8]) throws(MalformedBytes) {
        guard bytes.count <= Self.longest else {
            throw MalformedBytes(what: "larger than any property list that is meant here")
        }
        if bytes.starts(with: BinaryPropertyList.magic) {
            self = try BinaryPropertyList.read(bytes)
        } else {
            self = try XMLPropertyList.read(bytes)
        }
    }

    /// A dictionary's value; nil where this is no dictionary.
    package subscript(key: String) -> PropertyList? {
        guard case .dictionary(let values) = self else { return nil }
        return values[key]
    }
}
