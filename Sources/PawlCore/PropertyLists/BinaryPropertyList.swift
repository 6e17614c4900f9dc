/// Reads Apple's binary property lists (`bplist00`), including the references of keyed archives.
///
/// `PropertyListDecoder` of FoundationEssentials cannot read such references. This reader trusts no
/// number in the data: objects may be shared, so that a few bytes could expand to more than fits in
/// memory, or refer to each other in a loop.
struct BinaryPropertyList {
    static let magic = Array("bplist0".utf8)
    private static let trailerLength = 32
    private static let headLength = 8
    private static let deepest = 64

    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private let top: Int
    private let tableStart: Int
    /// The number of further objects and bytes that may be created.
    private var budget = 2 << 20

    static func read(_ bytes: [UInt8]) throws(MalformedBytes) -> PropertyList {
        var list = try BinaryPropertyList(bytes)
        return try list.object(list.top, depth: 0)
    }

    private init(_ bytes: [UInt8]) throws(MalformedBytes) {
        let trailer = bytes.count - Self.trailerLength
        guard trailer >= Self.headLength else { throw MalformedBytes(what: "cut short") }
        self.bytes = bytes
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        objectCount = Self.size(bytes, at: trailer + 8)
        top = Self.size(bytes, at: trailer + 16)
        tableStart = Self.size(bytes, at: trailer + 24)
        let (tableLength, overflow) = objectCount.multipliedReportingOverflow(by: offsetSize)
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), !overflow,
            tableStart >= Self.headLength, tableStart <= trailer,
            tableLength <= trailer - tableStart
        else { throw MalformedBytes(what: "its table is outside the data") }
    }

    /// Reads eight bytes of the trailer.
    ///
    /// A number that is too large is not a valid position.
    private static func size(_ bytes: [UInt8], at offset: Int) -> Int {
        Int(clamping: bytes[offset..<offset + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    // MARK: - Objects

    private mutating func object(
        _ index: Int,
        depth: Int
    ) throws(MalformedBytes) -> PropertyList {
        guard index >= 0, index < objectCount else {
            throw MalformedBytes(what: "a reference to a missing object")
        }
        guard depth < Self.deepest else { throw MalformedBytes(what: "too deep") }
        try spend(1)
        var offset = Int(clamping: try number(at: tableStart + index * offsetSize, offsetSize))
        guard offset >= Self.headLength, offset < tableStart else {
            throw MalformedBytes(what: "an object is outside the data")
        }
        let marker = bytes[offset]
        offset += 1
        let low = Int(marker & 0x0F)
        switch marker >> 4 {
        case 0x0: return try constant(marker)
        case 0x1: return .integer(try integer(at: offset, sizePower: low))
        case 0x2: return .real(try real(at: offset, sizePower: low))
        case 0x3: return .date(try real(at: offset, sizePower: 3))
        case 0x4: return .data(Array(try leaf(offset, low, width: 1)))
        case 0x5, 0x7: return try text(try leaf(offset, low, width: 1))
        case 0x6: return try wideText(try leaf(offset, low, width: 2))
        case 0x8: return .reference(Int(clamping: try number(at: offset, low + 1)))
        case 0xA, 0xB, 0xC:
            return .array(try objects(try references(offset, low, pairs: false), depth: depth))
        case 0xD: return try dictionary(try references(offset, low, pairs: true), depth: depth)
        default: throw MalformedBytes(what: "an object of an unknown kind")
        }
    }

    private func constant(_ marker: UInt8) throws(MalformedBytes) -> PropertyList {
        switch marker {
        case 0x00: .null
        case 0x08: .boolean(false)
        case 0x09: .boolean(true)
        default: throw MalformedBytes(what: "an object of an unknown kind")
        }
    }

    private mutating func objects(
        _ references: [Int],
        depth: Int
    ) throws(MalformedBytes) -> [PropertyList] {
        var values: [PropertyList] = []
        for reference in references { values.append(try object(reference, depth: depth + 1)) }
        return values
    }

    private mutating func dictionary(
        _ references: [Int],
        depth: Int
    ) throws(MalformedBytes) -> PropertyList {
        let count = references.count / 2
        let keys = try objects(Array(references.prefix(count)), depth: depth)
        let values = try objects(Array(references.dropFirst(count)), depth: depth)
        var dictionary: [String: PropertyList] = [:]
        for (key, value) in zip(keys, values) {
            guard case .text(let name) = key else {
                throw MalformedBytes(what: "a key is not text")
            }
            dictionary[name] = value
        }
        return .dictionary(dictionary)
    }

    private mutating func references(
        _ offset: Int,
        _ low: Int,
        pairs: Bool
    ) throws(MalformedBytes) -> [Int] {
        let (count, start) = try length(offset, low)
        let (all, overflow) = count.multipliedReportingOverflow(by: pairs ? 2 : 1)
        let (width, tooWide) = all.multipliedReportingOverflow(by: referenceSize)
        guard !overflow, !tooWide, width <= tableStart - start else {
            throw MalformedBytes(what: "cut short")
        }
        try spend(all)
        var references: [Int] = []
        for index in 0..<all {
            let reference = try number(at: start + index * referenceSize, referenceSize)
            references.append(Int(clamping: reference))
        }
        return references
    }

    // MARK: - Leaves

    private mutating func leaf(
        _ offset: Int,
        _ low: Int,
        width: Int
    ) throws(MalformedBytes) -> ArraySlice<UInt8> {
        let (count, start) = try length(offset, low)
        let (size, overflow) = count.multipliedReportingOverflow(by: width)
        guard !overflow, size <= tableStart - start else {
            throw MalformedBytes(what: "cut short")
        }
        try spend(size)
        return bytes[start..<start + size]
    }

    /// Reads a length.
    ///
    /// The value 15 means that the true length follows as an integer.
    private func length(_ offset: Int, _ low: Int) throws(MalformedBytes) -> (Int, start: Int) {
        guard low == 0x0F else { return (low, offset) }
        guard offset < tableStart, bytes[offset] >> 4 == 0x1 else {
            throw MalformedBytes(what: "a length is not valid")
        }
        let power = Int(bytes[offset] & 0x0F)
        let count = try integer(at: offset + 1, sizePower: power)
        guard count >= 0 else { throw MalformedBytes(what: "a negative length") }
        return (Int(clamping: count), offset + 1 + 1 << power)
    }

    private func text(_ raw: ArraySlice<UInt8>) throws(MalformedBytes) -> PropertyList {
        guard let text = String(validating: raw, as: UTF8.self) else {
            throw MalformedBytes(what: "a text is not UTF-8")
        }
        return .text(text)
    }

    private func wideText(_ raw: ArraySlice<UInt8>) throws(MalformedBytes) -> PropertyList {
        let units = stride(from: raw.startIndex, to: raw.endIndex, by: 2).map {
            UInt16(raw[$0]) << 8 | UInt16(raw[$0 + 1])
        }
        guard let text = String(validating: units, as: UTF16.self) else {
            throw MalformedBytes(what: "a text is not UTF-16")
        }
        return .text(text)
    }

    /// Reads an integer.
    ///
    /// Integers of up to four bytes are unsigned, and those of eight bytes are signed. In those of
    /// sixteen bytes, the upper half must be empty.
    private func integer(at offset: Int, sizePower: Int) throws(MalformedBytes) -> Int64 {
        switch sizePower {
        case 0...3: return Int64(bitPattern: try number(at: offset, 1 << sizePower))
        case 4:
            guard try number(at: offset, 8) == 0 else {
                throw MalformedBytes(what: "a number is too large")
            }
            let value = try number(at: offset + 8, 8)
            guard let value = Int64(exactly: value) else {
                throw MalformedBytes(what: "a number is too large")
            }
            return value
        default: throw MalformedBytes(what: "a number of an unknown size")
        }
    }

    private func real(at offset: Int, sizePower: Int) throws(MalformedBytes) -> Double {
        switch sizePower {
        case 2:
            Double(Float(bitPattern: UInt32(truncatingIfNeeded: try number(at: offset, 4))))
        case 3: Double(bitPattern: try number(at: offset, 8))
        default: throw MalformedBytes(what: "a number of an unknown size")
        }
    }

    /// Reads a number, the highest byte first.
    private func number(at offset: Int, _ size: Int) throws(MalformedBytes) -> UInt64 {
        guard offset >= 0, size <= bytes.count - offset else {
            throw MalformedBytes(what: "cut short")
        }
        return bytes[offset..<offset + size].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func spend(_ count: Int) throws(MalformedBytes) {
        budget -= count
        guard budget >= 0 else { throw MalformedBytes(what: "it expands to too many objects") }
    }
}
