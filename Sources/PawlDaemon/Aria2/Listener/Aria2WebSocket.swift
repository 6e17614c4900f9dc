internal import NIOCore
internal import NIOWebSocket
internal import PawlCore

/// Answers the messages of one WebSocket, and sends notifications.
struct Aria2WebSocket: Sendable {
    typealias Channel = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>
    typealias Writer = NIOAsyncChannelOutboundWriter<WebSocketFrame>

    let service: Aria2Service
    let client: Aria2Client
    /// The address of the client.
    let address: IPAddress?
    /// Whether a page or another machine has opened it, which gets nothing before its first valid
    /// secret.
    let needsSecret: Bool
    /// The time within which such a client must send a valid secret.
    let secretTime: Duration
    /// Called after each response.
    let answered: @Sendable () -> Void

    func run(_ channel: Channel) async throws {
        let deadline = needsSecret ? closeWithoutSecret(channel.channel) : nil
        defer { deadline?.cancel() }
        try await channel.executeThenClose { inbound, outbound in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await answer(inbound, outbound) }
                group.addTask {
                    let feed = Aria2NotificationFeed(service: service) {
                        !needsSecret || client.isAuthenticated
                    }
                    try await feed.write { try await send($0, to: outbound) }
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    private func closeWithoutSecret(_ channel: any NIOCore.Channel) -> Scheduled<Void> {
        let time = TimeAmount.nanoseconds(Int64(secretTime / .nanoseconds(1)))
        return channel.eventLoop.scheduleTask(in: time) { [client] in
            if !client.isAuthenticated { channel.close(promise: nil) }
        }
    }

    private func answer(
        _ inbound: NIOAsyncChannelInboundStream<WebSocketFrame>,
        _ outbound: Writer
    ) async throws {
        for try await frame in inbound {
            switch frame.opcode {
            case .text:
                var request = Aria2Request(service, client, from: address)
                let bytes = Array(frame.unmaskedData.readableBytesView)
                let answer = await JSONRPC.answer(bytes, &request)
                // The client may be gone.
                defer { if request.endsDaemon { service.shutDown.send() } }
                try await send(answer.body, to: outbound)
                answered()
                if request.endsDaemon { return }
            case .ping:
                let pong = WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)
                try await outbound.write(pong)
            case .connectionClose:
                // The answer repeats the code (RFC 6455 §5.5.1).
                let data = frame.unmaskedData.getSlice(
                    at: frame.unmaskedData.readerIndex,
                    length: 2
                )
                let end = WebSocketFrame(
                    fin: true,
                    opcode: .connectionClose,
                    data: data ?? ByteBuffer()
                )
                return try await outbound.write(end)
            case .binary:
                // 1003: a kind of data that is not accepted (RFC 6455 §7.4.1).
                let code = ByteBuffer(integer: UInt16(1003))
                let end = WebSocketFrame(fin: true, opcode: .connectionClose, data: code)
                return try await outbound.write(end)
            default: break
            }
        }
    }

    private func send(_ bytes: [UInt8], to outbound: Writer) async throws {
        let data = ByteBuffer(bytes: bytes)
        try await outbound.write(WebSocketFrame(fin: true, opcode: .text, data: data))
    }
}

/// No frame ends a request or a response.
extension WebSocketFrame: HTTPMessagePart {
    var kind: HTTPPartKind { .body }
}
