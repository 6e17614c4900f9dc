/// Encodes numbers and texts one after the other, with the lowest byte first.
package struct ByteWriter {
    package private(set) var bytes: [UInt8] = []

    package init(capacity: Int) { bytes.reserveCapacity(capacity) }

    package mutating func put(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func put(_ value: Bool) { bytes.append(value ? 1 : 0) }

    /// Writes the length in four bytes, then the bytes.
    package mutating func put(_ text: some Collection<UInt8>) {
        put(UInt32(clamping: text.count))
        bytes.append(contentsOf: text.prefix(Int(UInt32.max)))
    }

    package mutating func put(_ text: String) { put(text.utf8) }

    /// Writes raw bytes without a length.
    package mutating func append(_ raw: some Collection<UInt8>) { bytes.append(contentsOf: raw) }

    package mutating func pad(to count: Int) {
        guard count > bytes.count else { return }
        bytes.append(contentsOf: repeatElement(0, count: count - bytes.count))
    }
}
