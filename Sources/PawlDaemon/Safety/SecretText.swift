/// A secret that is compared with what clients send.
package struct SecretText: Sendable {
    private let bytes: [UInt8]

    package init(_ text: String) { bytes = Array(text.utf8) }

    /// Takes the same time regardless of where the texts first differ: it compares each byte of the
    /// secret.
    package func matches(_ text: some StringProtocol) -> Bool {
        let given = Array(text.utf8)
        var difference = UInt64(truncatingIfNeeded: given.count ^ bytes.count)
        for index in bytes.indices {
            let other = given.isEmpty ? 0 : given[index % given.count]
            difference |= UInt64(bytes[index] ^ other)
        }
        return difference == 0 && !bytes.isEmpty
    }
}
