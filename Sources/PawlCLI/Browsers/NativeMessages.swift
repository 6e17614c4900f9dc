internal import Glibc
internal import PawlCore

/// The messages between a browser and a program that it has started: the length as four bytes in
/// the machine's order, then JSON in UTF-8.
struct NativeMessages {
    /// The maximum length in both directions; browsers accept no longer message from a program.
    static let mostBytes = 1 << 20
    private static let chunkBytes = 64 << 10
    /// The time between two checks for cancellation, in milliseconds.
    private static let checkInterval: Int32 = 200

    private let input: Int32
    private let output: OutputWriter

    init(input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO) {
        self.input = input
        self.output = OutputWriter(output)
    }

    /// Returns the next message; `nil` if the browser has closed its end.
    ///
    /// After an error, the rest of the input has no known beginning. Throws `.tooLarge` before any
    /// memory is used for the message, `.badResponse` for a message without its end, and
    /// `.interrupted`.
    func next() throws(DownloadError) -> [UInt8]? {
        let head = try read(MemoryLayout<UInt32>.size)
        guard !head.isEmpty else { return nil }
        guard head.count == MemoryLayout<UInt32>.size else { throw Self.incomplete }
        let count = Int(head.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) })
        guard count <= Self.mostBytes else {
            throw DownloadError(
                .tooLarge,
                "the browser's message has \(count) bytes",
                advice: "send several messages of at most \(Self.mostBytes) bytes"
            )
        }
        let body = try read(count)
        guard body.count == count else { throw Self.incomplete }
        return body
    }

    /// Sends a message; returns whether the browser could take it.
    func send(_ body: [UInt8]) -> Bool {
        guard let count = UInt32(exactly: body.count), body.count <= Self.mostBytes else {
            return false
        }
        let bytes = withUnsafeBytes(of: count) { Array($0) } + body
        do {
            return try bytes.withUnsafeBytes { try output.write($0, Self.checkCancellation) } == nil
        } catch {
            // Without an answer, the browser itself reports an error.
            return false
        }
    }

    /// Returns up to `count` bytes; fewer if the input ends.
    ///
    /// Blocks the thread, which is idle otherwise: messages are answered one after the other.
    private func read(_ count: Int) throws(DownloadError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(count, Self.chunkBytes))
        while bytes.count < count {
            try Self.checkCancellation()
            var wait = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, Self.checkInterval) > 0 else { continue }
            let length = Glibc.read(input, &chunk, min(chunk.count, count - bytes.count))
            if length == 0 { break }
            guard length > 0 else {
                if errno == EINTR || errno == EAGAIN { continue }
                throw Self.incomplete
            }
            bytes += chunk[..<length]
        }
        return bytes
    }

    private static func checkCancellation() throws(DownloadError) {
        guard Task.isCancelled else { return }
        throw DownloadError(.interrupted, "stopped", advice: "try again")
    }

    private static let incomplete = DownloadError(
        .badResponse,
        "the browser's message is incomplete",
        advice: "try again"
    )
}
