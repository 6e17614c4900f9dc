internal import Glibc

/// A connection of an origin, on a separate thread.
struct OriginConnection {
    private let origin: Origin
    private let descriptor: Int32
    private let position: Origin.ConnectionPosition
    private let bytesPerSecond: Double?

    init(_ origin: Origin, _ descriptor: Int32, _ position: Origin.ConnectionPosition) {
        self.origin = origin
        self.descriptor = descriptor
        self.position = position
        bytesPerSecond = origin.plan.connectionBytesPerSecond(position.number)
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
    }

    /// Serves requests until the client or the plan closes the connection.
    func run() {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)
        defer { buffer.deallocate() }
        var pacer = Pacer()
        while let head = readHead() {
            guard origin.note(head, arrived: .now, at: position) else {
                waitForClientToLeave()
                return
            }
            guard answer(head, &pacer, buffer), head.keepsOpen else { return }
        }
    }

    /// Responds to a request.
    ///
    /// Returns `false` if the connection has ended.
    private func answer(
        _ head: RequestHead,
        _ pacer: inout Pacer,
        _ buffer: UnsafeMutableRawBufferPointer
    ) -> Bool {
        let size = origin.fileBytes
        let common =
            "ETag: \"\(size)\"\r\nLast-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\n"
            + "Accept-Ranges: bytes\r\nContent-Type: application/octet-stream\r\n"
        var bounds = 0..<size
        var status = "200 OK\r\n"
        if let range = head.range {
            guard range.first < size, range.first <= range.last ?? .max else {
                return send(
                    "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */\(size)\r\n"
                        + "Content-Length: 0\r\n\r\n"
                )
            }
            bounds = range.first..<min(size, (range.last ?? size) &+ 1)
            let shown = "\(bounds.lowerBound)-\(bounds.upperBound - 1)/\(size)"
            status = "206 Partial Content\r\nContent-Range: bytes \(shown)\r\n"
        }
        let length = "Content-Length: \(bounds.count)\r\n\r\n"
        guard send("HTTP/1.1 " + status + common + length) else { return false }
        return head.isHead || sendBody(bounds, &pacer, buffer)
    }

    private func sendBody(
        _ bounds: Range<Int>,
        _ pacer: inout Pacer,
        _ buffer: UnsafeMutableRawBufferPointer
    ) -> Bool {
        var offset = bounds.lowerBound
        let chunk = chunkBytes(buffer.count)
        while offset < bounds.upperBound {
            let wanted = min(chunk, bounds.upperBound - offset)
            let count = pread(origin.file, buffer.baseAddress, wanted, offset)
            guard count > 0 else { return false }
            switch origin.permit(count, at: position) {
            case .die:
                reset()
                return false
            case .send(let moment): wait(until: max(moment, ownMoment(count, &pacer)))
            }
            guard send(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else { return false }
            offset += count
        }
        return true
    }

    /// The size of a chunk: the bytes of about five milliseconds, so that the rate is steady.
    private func chunkBytes(_ most: Int) -> Int {
        let rates = [bytesPerSecond, origin.plan.bytesPerSecond].compactMap(\.self)
        guard let rate = rates.min() else { return most }
        return min(most, max(4096, Int(rate / 200)))
    }

    private func ownMoment(_ count: Int, _ pacer: inout Pacer) -> Moment {
        guard let bytesPerSecond else { return Moment(nanoseconds: 0) }
        return pacer.take(count, bytesPerSecond: bytesPerSecond, now: .now)
    }

    private func wait(until moment: Moment) {
        if moment > .now { moment.wait() }
    }

    private func readHead() -> RequestHead? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count < 64 << 10 {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
            // No client of this benchmark sends a request before the response to the previous one.
            if bytes.suffix(4) == [13, 10, 13, 10] {
                return RequestHead(String(decoding: bytes, as: UTF8.self))
            }
        }
        return nil
    }

    private func send(_ text: String) -> Bool {
        Array(text.utf8).withUnsafeBytes { send($0) }
    }

    private func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var left = bytes
        while !left.isEmpty {
            let count = Glibc.send(descriptor, left.baseAddress, left.count, Int32(MSG_NOSIGNAL))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            left = UnsafeRawBufferPointer(rebasing: left[count...])
        }
        return true
    }

    private func waitForClientToLeave() {
        var byte: UInt8 = 0
        while recv(descriptor, &byte, 1, 0) > 0 {}
    }

    /// Makes the next `close` send an RST.
    private func reset() {
        var abrupt = linger(l_onoff: 1, l_linger: 0)
        let size = socklen_t(MemoryLayout<linger>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &abrupt, size)
    }
}
