internal import CCrypto
internal import NIOCore

/// OpenSSL's state of one connection, which reads and writes memory.
///
/// Only the connection's event loop uses it.
final class TLSSession {
    private let handle: OpaquePointer
    /// The encrypted bytes that the client has sent, which the handle owns.
    private let input: OpaquePointer
    /// The encrypted bytes for the client, which the handle owns.
    private let output: OpaquePointer

    /// The number of the client's KeyUpdate messages since it has sent data.
    private let keyUpdates: UnsafeMutablePointer<Int32>

    /// The maximum number of bytes that are encrypted or decrypted at a time.
    private static let chunkBytes = 64 << 10
    /// The maximum number of KeyUpdate messages without data between them, as in BoringSSL.
    private static let mostKeyUpdates: Int32 = 32

    /// Takes over the handle; returns `nil` if there is no memory.
    init?(_ handle: OpaquePointer) {
        guard let input = BIO_new(BIO_s_mem()) else {
            SSL_free(handle)
            return nil
        }
        guard let output = BIO_new(BIO_s_mem()) else {
            BIO_free(input)
            SSL_free(handle)
            return nil
        }
        SSL_set_bio(handle, input, output)
        SSL_set_accept_state(handle)
        keyUpdates = .allocate(capacity: 1)
        keyUpdates.initialize(to: 0)
        pawl_tls_count_key_updates(handle, keyUpdates)
        (self.handle, self.input, self.output) = (handle, input, output)
    }

    deinit {
        SSL_free(handle)
        keyUpdates.deallocate()
    }

    /// A failure of OpenSSL, after which the session cannot be used.
    struct Failure: Error {
        /// In OpenSSL's words, without text of the client.
        var reason: String
    }

    /// The result of reading decrypted bytes.
    enum Reading {
        case bytes(ByteBuffer)
        /// More encrypted bytes are needed.
        case needsMore
        /// The client has ended its stream with close_notify.
        case end
    }

    var isHandshakeComplete: Bool { SSL_is_init_finished(handle) == 1 }

    /// Takes encrypted bytes of the client.
    func receive(_ bytes: ByteBuffer) throws(Failure) {
        let isTaken = bytes.withUnsafeReadableBytes {
            $0.isEmpty || BIO_write(input, $0.baseAddress, Int32($0.count)) == Int32($0.count)
        }
        guard isTaken else { throw failure() }
    }

    /// Continues the handshake, or decrypts bytes.
    ///
    /// All bytes that are available, up to 64 KiB, have one buffer: a client may send one byte per
    /// record.
    func read(_ allocator: ByteBufferAllocator) throws(Failure) -> Reading {
        var buffer = allocator.buffer(capacity: 16 << 10)
        while buffer.readableBytes < Self.chunkBytes {
            ERR_clear_error()
            let left = BIO_ctrl_pending(input)
            var code: Int32 = 0
            buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: 16 << 10) { free in
                code = SSL_read(handle, free.baseAddress, Int32(min(free.count, Self.chunkBytes)))
                return max(0, Int(code))
            }
            if code > 0 {
                keyUpdates.pointee = 0
                continue
            }
            guard keyUpdates.pointee <= Self.mostKeyUpdates else {
                throw Failure(reason: "too many key updates")
            }
            let error = SSL_get_error(handle, code)
            // A record without data was handled, and there are others.
            let rest = BIO_ctrl_pending(input)
            if error == SSL_ERROR_WANT_READ, rest > 0, rest < left {
                continue
            }
            // An end or a failure after these bytes is reported by the next call.
            guard buffer.readableBytes == 0 else { break }
            switch error {
            case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .needsMore
            case SSL_ERROR_ZERO_RETURN: return .end
            default: throw failure()
            }
        }
        return .bytes(buffer)
    }

    /// Encrypts bytes, and passes on the result in pieces; `isLast` is the last piece.
    func write(
        _ bytes: ByteBuffer,
        _ allocator: ByteBufferAllocator,
        _ send: (_ piece: ByteBuffer, _ isLast: Bool) -> Void
    ) throws(Failure) {
        var rest = bytes
        while let piece = rest.readSlice(length: min(rest.readableBytes, Self.chunkBytes)),
            piece.readableBytes > 0
        {
            ERR_clear_error()
            let count = piece.withUnsafeReadableBytes {
                SSL_write(handle, $0.baseAddress, Int32($0.count))
            }
            // Memory takes all bytes, and there is no renegotiation to wait for.
            guard count == Int32(piece.readableBytes), let sealed = takeOutput(allocator) else {
                throw failure()
            }
            send(sealed, rest.readableBytes == 0)
        }
    }

    /// Ends the daemon's own stream with close_notify.
    func endOutput() {
        guard isHandshakeComplete else { return }
        ERR_clear_error()
        SSL_shutdown(handle)
        ERR_clear_error()
    }

    /// Returns the encrypted bytes for the client; `nil` if there are none.
    func takeOutput(_ allocator: ByteBufferAllocator) -> ByteBuffer? {
        let count = Int(BIO_ctrl_pending(output))
        guard count > 0 else { return nil }
        var buffer = allocator.buffer(capacity: count)
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { free in
            max(0, Int(BIO_read(output, free.baseAddress, Int32(count))))
        }
        return buffer.readableBytes > 0 ? buffer : nil
    }

    private func failure() -> Failure { Failure(reason: Self.lastError()) }

    /// Returns the last error of this thread in OpenSSL's words, and clears all.
    static func lastError() -> String {
        defer { ERR_clear_error() }
        let code = ERR_peek_last_error()
        guard code != 0, let text = ERR_reason_error_string(code) else { return "unknown error" }
        return String(cString: text)
    }
}
