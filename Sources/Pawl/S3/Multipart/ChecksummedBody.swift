internal import PawlCore
internal import PawlStorage
internal import Synchronization

/// A body that is followed by its checksum, in the coding `aws-chunked`.
///
/// The checksum is computed while the body is sent. The coding is the service's own: it is part of
/// the content for HTTP, so that it works over every version of HTTP, and its length is known
/// before.
final class ChecksummedBody: BodySource {
    private enum Phase {
        /// The number of bytes left of the current chunk.
        case chunk(left: Int64)
        /// The source must have no more bytes.
        case end
        /// Only `framing` is left.
        case last
    }

    private struct State {
        var phase = Phase.last
        /// Bytes of the coding to be sent before anything else.
        var framing: [UInt8] = []
        /// The number of bytes of the content that belong to later chunks.
        var left: Int64 = 0
        var checksum = CRC32C()
        /// `nil` until all of the content was read.
        var result: ObjectChecksum?
    }

    /// The size of a chunk; services demand at least 8 KiB.
    private static let chunkBytes: Int64 = 64 << 10

    private let content: any BodySource
    private let contentLength: Int64
    private let state = Mutex(State())

    /// Creates the body; `contentLength` is the number of bytes that the source will have.
    init(_ content: any BodySource, contentLength: Int64) {
        (self.content, self.contentLength) = (content, contentLength)
    }

    /// The checksum; `nil` until all of the content was read.
    var checksum: ObjectChecksum? { state.withLock { $0.result } }

    var length: Int64? {
        let (chunks, rest) = contentLength.quotientAndRemainder(dividingBy: Self.chunkBytes)
        var length = contentLength
        length += chunks * Int64(Self.header(of: Self.chunkBytes).count + 2)
        if rest > 0 { length += Int64(Self.header(of: rest).count + 2) }
        return length + Int64(Self.trailer(ObjectChecksum([0, 0, 0, 0])).count)
    }

    var isRepeatable: Bool { content.isRepeatable }

    func begin(_ wake: @escaping @Sendable () -> Void) -> Bool {
        guard content.begin(wake) else { return false }
        state.withLock { state in
            state = State()
            state.left = contentLength
            Self.beginChunk(&state)
        }
        return true
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyReading {
        state.withLock { state in
            if state.framing.isEmpty, case .end = state.phase, let failure = finish(&state) {
                return failure
            }
            guard state.framing.isEmpty else {
                let count = min(buffer.count, state.framing.count)
                buffer.copyBytes(from: state.framing.prefix(count))
                state.framing.removeFirst(count)
                return .bytes(count)
            }
            guard case .chunk(let left) = state.phase else { return .end }
            let room = UnsafeMutableRawBufferPointer(
                rebasing: buffer[..<Int(min(Int64(buffer.count), left))]
            )
            let reading = content.read(into: room)
            switch reading {
            case .bytes(let count):
                guard count <= room.count else {
                    return .failed("more bytes were read than there is room for")
                }
                state.checksum.update(UnsafeRawBufferPointer(rebasing: room[..<count]))
                state.phase = .chunk(left: left - Int64(count))
                if left == Int64(count) { Self.endChunk(&state) }
            case .end: return .failed("it has fewer bytes than announced, \(contentLength)")
            case .later, .failed: break
            }
            return reading
        }
    }

    /// Adds the end of the coding after the last byte of the content; returns a failure if the source
    /// has more.
    private func finish(_ state: inout State) -> BodyReading? {
        switch withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1, content.read(into:)) {
        case .bytes: return .failed("it has more bytes than announced, \(contentLength)")
        case .failed(let reason): return .failed(reason)
        // A source that does not know that it has no more bytes is not waited for.
        case .end, .later: break
        }
        let checksum = ObjectChecksum(state.checksum.bytes)
        state.framing += Self.trailer(checksum)
        (state.result, state.phase) = (checksum, .last)
        return nil
    }

    private static func beginChunk(_ state: inout State) {
        guard state.left > 0 else {
            state.phase = .end
            return
        }
        let count = min(chunkBytes, state.left)
        state.left -= count
        state.framing += header(of: count)
        state.phase = .chunk(left: count)
    }

    private static func endChunk(_ state: inout State) {
        state.framing += [13, 10]
        beginChunk(&state)
    }

    private static func header(of count: Int64) -> [UInt8] {
        Array("\(String(count, radix: 16))\r\n".utf8)
    }

    /// The last chunk, which is empty, and the field with the checksum.
    private static func trailer(_ checksum: ObjectChecksum) -> [UInt8] {
        Array("0\r\n\(ObjectChecksum.field):\(checksum.text)\r\n\r\n".utf8)
    }
}
