internal import Glibc
internal import SystemPackage

/// Identifies a boot of the machine.
///
/// What the kernel has in memory does not survive the next boot.
package struct BootIdentity: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    /// The current boot; empty if the system does not report it.
    package static let current = BootIdentity(read() ?? "")

    /// Whether both boots are the same.
    ///
    /// An unknown boot is never the same as another unknown one.
    package func isSame(as other: String) -> Bool { !text.isEmpty && text == other }

    private static func read() -> String? {
        var buffer = [UInt8](repeating: 0, count: 64)
        // On a system without this file boots cannot be told apart, so nothing is trusted.
        guard let file = try? OpenFile("/proc/sys/kernel/random/boot_id", O_RDONLY),
            let count = try? buffer.withUnsafeMutableBytes({ try file.read(into: $0, at: 0) })
        else { return nil }
        return String(decoding: buffer[..<count].filter { $0 > 0x20 && $0 < 0x7F }, as: UTF8.self)
    }
}
