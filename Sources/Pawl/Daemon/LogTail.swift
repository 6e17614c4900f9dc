internal import PawlStorage
internal import SystemPackage

/// Reads the last lines of a log in pieces, from its end.
///
/// Its call blocks.
enum LogTail {
    private static let pieceLength: Int64 = 64 << 10
    /// The maximum number of bytes that are read.
    static let mostBytes: Int64 = 8 << 20
    private static let newline = UInt8(ascii: "\n")

    /// Returns up to `count` lines that are not empty, the oldest first.
    static func lines(_ count: Int, of file: OpenFile) throws(Errno) -> [Substring] {
        let size = try file.status().size
        var start = size
        var pieces: [[UInt8]] = []
        // The number of lines whose beginning was read, and the byte after those to be read.
        var (found, next) = (0, newline)
        while start > 0, found < count, size - start < mostBytes {
            let length = min(pieceLength, start)
            start -= length
            var piece = [UInt8](repeating: 0, count: Int(length))
            piece.removeLast(piece.count - (try file.read(into: &piece, at: start)))
            for byte in piece.reversed() {
                if byte == newline, next != newline { found += 1 }
                next = byte
            }
            pieces.append(piece)
        }
        let bytes = Array(pieces.reversed().joined())
        // Bytes that do not begin the file may begin inside a line.
        let first = start > 0 ? bytes.firstIndex(of: newline) ?? bytes.endIndex : bytes.startIndex
        return bytes[first...].split(separator: newline).suffix(count).map { line in
            // As a character of a string, CR LF would end no line. Programs of hooks may write it.
            let text = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            return Substring(decoding: text, as: UTF8.self)
        }
    }
}
