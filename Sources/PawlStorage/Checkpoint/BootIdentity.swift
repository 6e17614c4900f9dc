internal import Glibc
internal import SystemPackage

/// Which start of the machine this is: what the kernel had in memory is gone with it.
package struct BootIdentity: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    /// Empty where the system does not say.
    package static let current = BootIdentity(read() ?? "")

    /// An unknown boot is never the same as another unknown one.
    package func isSame(as other: String) -> Bool { !text.isEmpty && text == other }

    private static func read() -> String? {
        var buffer = [UInt8](repeating: 0, count: 64)
        // A system without this file has boots that cannot be told apart: nothing is believed then.
        guard let file = try? OpenFile("/proc/sys/kernel/random/boot_id", O_RDONLY),
            let count = try? buffer.withUnsafeMutableBytes({ try file.read(into: $0, at: 0) })
        else { return nil }
        return String(decoding: buffer[..<count].filter { $0 > 0x20 && $0 < 0x7F }, as: UTF8.self)
    }
}
