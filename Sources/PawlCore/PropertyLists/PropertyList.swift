/// A value of Apple's property lists, limited to what resume data needs.
package enum PropertyList: Hashable, Sendable {
    /// The maximum size that is read, in bytes.
    ///
    /// Resume data has a few thousand bytes.
    package static let longest = 1 << 20

    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    /// A date in seconds since 2001.
    case date(Double)
    case text(String)
    case data([UInt8])
    /// The position of an object in a keyed archive.
    case reference(Int)
    case array([PropertyList])
    case dictionary([String: PropertyList])

    /// Parses the binary or the XML form.
    package init(_ bytes: [UInt8]) throws(MalformedBytes) {
        guard bytes.count <= Self.longest else {
            throw MalformedBytes(what: "larger than any resume data")
        }
        if bytes.starts(with: BinaryPropertyList.magic) {
            self = try BinaryPropertyList.read(bytes)
        } else {
            self = try XMLPropertyList.read(bytes)
        }
    }

    /// The value of a dictionary's key; `nil` if this is not a dictionary.
    package subscript(key: String) -> PropertyList? {
        guard case .dictionary(let values) = self else { return nil }
        return values[key]
    }
}
