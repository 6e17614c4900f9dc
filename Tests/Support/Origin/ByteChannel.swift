import CCrypto
import Glibc
import PawlCore

/// The reason why a connection's thread stops.
enum ConnectionEnd: Error {
    /// The client disconnected, or the origin was stopped.
    case abandoned
    /// A reply ended the connection on purpose.
    case cut
}

/// The way in which a connection is closed.
package enum Ending: Sendable {
    /// A clean end: close_notify over TLS, then FIN.
    case close
    /// FIN without close_notify: a truncation over TLS, otherwise the same as `close`.
    case closeWithoutNotify
    /// RST, sent after the client's kernel has received all previous bytes.
    case reset
}

/// The origin's end of one connection, plain or TLS, which only that connection's thread uses.
final class ByteChannel {
    let descriptor: Int32
    private var secure: OpaquePointer?
    private let clock = SystemTimekeeper()

    init(descriptor: Int32) {
        self.descriptor = descriptor
        var on: Int32 = 1
        setsockopt(
            descriptor,
            Int32(IPPROTO_TCP),
            TCP_NODELAY,
            &on,
            socklen_t(MemoryLayout<Int32>.size)
        )
    }

    deinit { if let secure { SSL_free(secure) } }

    /// Performs the TLS handshake as the server.
    func startTLS(_ context: OpaquePointer) throws(ConnectionEnd) {
        guard let session = SSL_new(context) else { throw .abandoned }
        secure = session
        SSL_set_fd(session, descriptor)
        ERR_clear_error()
        guard SSL_accept(session) == 1 else { throw .abandoned }
    }

    /// Waits for bytes; returns 0 at the end of the client's stream.
    func receive(into buffer: UnsafeMutableRawBufferPointer) throws(ConnectionEnd) -> Int {
        while true {
            let count: Int
            if let secure {
                ERR_clear_error()
                count = Int(SSL_read(secure, buffer.baseAddress, Int32(clamping: buffer.count)))
            } else {
                count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
                if count < 0, errno == EINTR { continue }
            }
            if count >= 0 { return count }
            throw .abandoned
        }
    }

    /// Sends all of `bytes`, and waits while the client does not read.
    func send(_ bytes: UnsafeRawBufferPointer) throws(ConnectionEnd) {
        var left = bytes
        while !left.isEmpty {
            let count: Int
            if let secure {
                ERR_clear_error()
                count = Int(SSL_write(secure, left.baseAddress, Int32(clamping: left.count)))
            } else {
                count = Glibc.send(descriptor, left.baseAddress, left.count, Int32(MSG_NOSIGNAL))
                if count < 0, errno == EINTR { continue }
            }
            guard count > 0 else { throw .abandoned }
            left = UnsafeRawBufferPointer(rebasing: left[count...])
        }
    }

    func send(_ bytes: [UInt8]) throws(ConnectionEnd) {
        var end: ConnectionEnd?
        bytes.withUnsafeBytes { buffer in
            do throws(ConnectionEnd) { try send(buffer) } catch { end = error }
        }
        if let end { throw end }
    }

    /// Waits until `moment`; throws if the client disconnects first.
    func wait(until moment: Moment) throws(ConnectionEnd) {
        while true {
            let left = (moment - clock.now()).nanoseconds
            guard left > 0 else { return }
            // poll counts in milliseconds, so the wait may be up to one millisecond longer.
            try waitForHangUp(milliseconds: Int32(clamping: left / 1_000_000 + 1))
        }
    }

    /// Waits until the client disconnects.
    func waitForClientToLeave() throws(ConnectionEnd) -> Never {
        while true { try waitForHangUp(milliseconds: -1) }
    }

    /// Waits until a test opens the latch; throws if the client disconnects first.
    func wait(for latch: Latch) throws(ConnectionEnd) {
        latch.arrive()
        while !latch.isOpen { try waitForHangUp(milliseconds: 10) }
    }

    /// Ends the stream; the server closes the descriptor itself.
    func finish(_ ending: Ending) {
        switch ending {
        case .close:
            if let secure, SSL_is_init_finished(secure) == 1 { SSL_shutdown(secure) }
            shutdown(descriptor, Int32(SHUT_WR))
        case .closeWithoutNotify:
            shutdown(descriptor, Int32(SHUT_WR))
        case .reset:
            drain()
            var abrupt = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                descriptor,
                SOL_SOCKET,
                SO_LINGER,
                &abrupt,
                socklen_t(MemoryLayout<linger>.size)
            )
        }
    }

    /// POLLRDHUP, which Glibc's module lacks because it requires _GNU_SOURCE.
    private static let peerClosed: Int16 = 0x2000
    /// SIOCOUTQ: the number of bytes that the peer's kernel has not acknowledged.
    private static let unsentBytes: UInt = 0x5411

    private func waitForHangUp(milliseconds: Int32) throws(ConnectionEnd) {
        var entry = pollfd(fd: descriptor, events: Self.peerClosed, revents: 0)
        if poll(&entry, 1, milliseconds) > 0, entry.revents != 0 { throw .abandoned }
    }

    /// Waits until the kernel holds no unsent bytes, which a reset would discard.
    private func drain() {
        var unsent: Int32 = 0
        while ioctl(descriptor, Self.unsentBytes, &unsent) == 0, unsent > 0 {
            do throws(ConnectionEnd) { try waitForHangUp(milliseconds: 1) } catch { return }
        }
    }
}
