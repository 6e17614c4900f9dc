internal import Glibc
internal import SystemPackage

/// The list of an archive that `bsdtar -tv` writes into a file: a line per entry, which begins with
/// the letter of its type, as in `ls -l`.
struct ArchiveList {
    /// What an archive contains.
    struct Content: Hashable {
        var entryCount = 0
        /// Whether an entry is a device file, a FIFO or a socket.
        var hasSpecialFiles = false
    }

    /// The file, which the program writes.
    let descriptor: Int32
    private let path: FilePath

    /// The letters of block and character devices, FIFOs and sockets.
    private static let specialTypes = Set("bcps".utf8)
    private static let newline = UInt8(ascii: "\n")

    /// Creates the file; returns `nil` if that fails.
    init?(at path: FilePath) {
        descriptor = open(path.string, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        self.path = path
    }

    /// Removes the name of the file; returns whether it has none any more.
    func remove() -> Bool { unlink(path.string) == 0 }

    func close() { Glibc.close(descriptor) }

    /// Reads the list; returns `nil` if that fails.
    ///
    /// It blocks. The program writes control characters of names as escape sequences. Those of an owner's name
    /// can add lines but hide none.
    func content() -> Content? {
        var (content, isAtStart, offset) = (Content(), true, 0)
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = pread(descriptor, &chunk, chunk.count, off_t(offset))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { return content }
            for byte in chunk[..<count] {
                if isAtStart {
                    content.entryCount += 1
                    if Self.specialTypes.contains(byte) { content.hasSpecialFiles = true }
                }
                isAtStart = byte == Self.newline
            }
            offset += count
        }
    }
}
