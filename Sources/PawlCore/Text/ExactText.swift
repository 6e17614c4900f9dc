/// A text that equals only a text of the same bytes, as in file systems and databases.
///
/// Two `String`s are equal, too, if only their encodings differ: `é` as one scalar, and as `e` with
/// a combining accent. As names they are two files or two sessions.
package struct ExactText: Hashable, Comparable, Sendable, ExpressibleByStringLiteral {
    package let text: String

    package init(_ text: some StringProtocol) { self.text = String(text) }

    package init(stringLiteral text: String) { self.text = text }

    package static func == (one: ExactText, other: ExactText) -> Bool {
        one.text.isExactly(other.text)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }

    /// Whether the bytes of `one` come first.
    package static func < (one: ExactText, other: ExactText) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }
}

extension ExactText: CustomStringConvertible {
    package var description: String { text }
}

extension StringProtocol {
    /// Whether both texts have the same bytes.
    package func isExactly(_ other: some StringProtocol) -> Bool {
        // Comparing the elements of two buffers by index is much faster than `elementsEqual`.
        let isEqual: Bool?? = utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { other in
                own.count == other.count && own.indices.allSatisfy { own[$0] == other[$0] }
            }
        }
        return isEqual.flatMap(\.self) ?? utf8.elementsEqual(other.utf8)
    }
}
