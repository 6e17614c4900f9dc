internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOWebSocket
internal import PawlCore
internal import PawlWire

/// Serves aria2's RPC over HTTP/1.1 and WebSocket at a socket that is open already.
///
/// The daemon's other server cannot be used, because it has no upgrade to WebSocket.
struct Aria2Server: Sendable {
    let service: Aria2Service
    let memory: IdleMemory
    /// The connections over TCP, including those of the API.
    let register: ConnectionRegister

    /// What a connection speaks.
    private enum Speech: Sendable {
        case http(Aria2HTTPConnection.Channel)
        /// With the fields of the request that has opened it; `needsSecret`: whether a page or another
        /// machine has sent it.
        case webSocket(Aria2WebSocket.Channel, HTTPHeaders, needsSecret: Bool)
    }

    /// A connection from which nothing is read before it is served.
    private struct NewConnection: Sendable {
        var channel: any Channel
        /// If this fails, the connection is closed.
        var isReady: EventLoopPromise<Void>
        /// Known once the first head has been received.
        var speech: EventLoopFuture<Speech>
    }

    private struct Refused: Error {}

    /// The maximum number of frames of one message.
    private static let mostFrames = 256

    /// Answers until the task is cancelled, and closes the socket.
    func run(_ socket: NetworkSocket) async throws {
        let responder = Aria2Responder(service, socket)
        let (connections, continuation) = AsyncStream.makeStream(of: NewConnection.self)
        let listener = try await bootstrap(socket.limits, responder, continuation)
            .withBoundSocket(socket.descriptor).get()
        await withDiscardingTaskGroup { group in
            for await connection in connections {
                guard register.enter(connection.channel) else {
                    connection.isReady.fail(Refused())
                    continue
                }
                let client = Aria2Client(
                    socket.authenticator,
                    peer: connection.channel.peerAddress
                ) {
                    register.recognize(connection.channel, as: $0)
                }
                group.addTask {
                    await serve(connection, responder, client, socket)
                    register.leave(connection.channel)
                }
            }
            // After a cancellation there are no new connections, and the others end.
            try? await listener.close()
            group.cancelAll()
        }
    }

    // MARK: - One connection

    private func serve(
        _ connection: NewConnection,
        _ responder: Aria2Responder,
        _ client: Aria2Client,
        _ socket: NetworkSocket
    ) async {
        let (channel, address, limits) = (connection.channel, socket.address, socket.limits)
        let certificate = socket.tls?.context()
        // Others could read and change what is not encrypted.
        guard !Task.isCancelled, certificate != nil || address.isLoopback else {
            return connection.isReady.fail(Refused())
        }
        let activation: EventLoopFuture<Void>
        do {
            activation = try await channel.activation()
            if let certificate, let tls = socket.tls {
                try await Self.speakTLS(channel, certificate, tls, allowsPlain: address.isLoopback)
            }
        } catch {
            return connection.isReady.fail(error)
        }
        connection.isReady.succeed()
        // It never fails.
        try? await activation.get()
        do {
            let speech = try await withTaskCancellationHandler {
                try await connection.speech.get()
            } onCancel: {
                channel.close(promise: nil)
            }
            switch speech {
            case .http(let channel):
                let connection = Aria2HTTPConnection(
                    responder: responder,
                    client: client,
                    answered: memory.used
                )
                try await connection.run(channel)
            case .webSocket(let channel, let fields, let needsSecret):
                let socket = Aria2WebSocket(
                    service: service,
                    client: client,
                    address: client.sender { fields[$0] }.address,
                    needsSecret: needsSecret,
                    secretTime: limits.idle,
                    answered: memory.used
                )
                if !needsSecret { register.listen(channel.channel) }
                try await socket.run(channel)
            }
        } catch {
            // The client has closed the connection, or sent what is not HTTP.
            channel.close(promise: nil)
        }
    }

    // MARK: - The pipeline

    /// Puts TLS below all other handlers.
    ///
    /// `allowsPlain`: whether the client may also speak HTTP without TLS.
    private static func speakTLS(
        _ channel: any Channel,
        _ certificate: TLSContext,
        _ tls: CurrentTLS,
        allowsPlain: Bool
    ) async throws {
        try await channel.eventLoop.submit {
            guard let session = certificate.makeSession() else { throw Refused() }
            try channel.pipeline.syncOperations.addHandler(
                TLSHandler(session, allowsPlain: allowsPlain, failed: tls.logFailure),
                position: .first
            )
        }.get()
    }

    private func bootstrap(
        _ limits: ConnectionLimits,
        _ responder: Aria2Responder,
        _ connections: AsyncStream<NewConnection>.Continuation
    ) -> ServerBootstrap {
        ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(
                .socketOption(.so_sndbuf),
                value: ChannelOptions.Types.SocketOption.Value(limits.unreadBytes)
            )
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let connection = NewConnection(
                        channel: channel,
                        isReady: channel.eventLoop.makePromise(),
                        speech: try Self.setUp(channel, limits, responder)
                    )
                    if case .terminated = connections.yield(connection) {
                        connection.isReady.fail(Refused())
                    }
                    return connection.isReady.futureResult
                }.flatMap { (isReady: EventLoopFuture<Void>) in isReady }
            }
    }

    private static func setUp(
        _ channel: any Channel,
        _ limits: ConnectionLimits,
        _ responder: Aria2Responder
    ) throws -> EventLoopFuture<Speech> {
        var decoding = NIOHTTPDecoderLimitConfiguration()
        decoding.maxHeaderFieldSize = limits.headBytes
        decoding.maxHeaderListSize = limits.headBytes
        decoding.maxHeaderFieldCount = limits.fields
        let encoder = HTTPResponseEncoder()
        let handlers: [any RemovableChannelHandler] = [
            ByteToMessageHandler(
                HTTPRequestDecoder(
                    leftOverBytesStrategy: .forwardBytes,
                    informationalResponseStrategy: .drop,
                    limitConfiguration: decoding
                )
            ),
            HTTPServerPipelineHandler(),
            HTTPServerProtocolErrorHandler(),
            AbsoluteTargetHandler(),
            UnknownCodingHandler(),
            UpgradeFilterHandler(responder),
            SlowClientHandler<HTTPServerRequestPart, HTTPServerResponsePart>(limits),
        ]
        let upgrade = NIOTypedHTTPServerUpgradeHandler(
            httpEncoder: encoder,
            extraHTTPHandlers: handlers,
            upgradeConfiguration: NIOTypedHTTPServerUpgradeConfiguration(
                upgraders: [upgrader(limits, responder)],
                notUpgradingCompletionHandler: { channel in
                    channel.eventLoop.makeCompletedFuture {
                        Speech.http(try NIOAsyncChannel(wrappingChannelSynchronously: channel))
                    }
                }
            )
        )
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(encoder)
        for handler in handlers { try pipeline.addHandler(handler) }
        try pipeline.addHandler(upgrade)
        return upgrade.upgradeResultFuture
    }

    private static func upgrader(
        _ limits: ConnectionLimits,
        _ responder: Aria2Responder
    ) -> NIOTypedWebSocketServerUpgrader<Speech> {
        NIOTypedWebSocketServerUpgrader(
            maxFrameSize: Aria2Responder.mostBytes,
            shouldUpgrade: { channel, head in
                // Without this, the request is answered as any other GET.
                channel.eventLoop.makeSucceededFuture(
                    responder.accepts(head, from: channel.peerAddress) ? HTTPHeaders() : nil
                )
            },
            upgradePipelineHandler: { channel, head in
                channel.eventLoop.makeCompletedFuture {
                    let aggregator = NIOWebSocketFrameAggregator(
                        minNonFinalFragmentSize: 1,
                        maxAccumulatedFrameCount: mostFrames,
                        maxAccumulatedFrameSize: Aria2Responder.mostBytes
                    )
                    let clock = SlowClientHandler<WebSocketFrame, WebSocketFrame>(
                        limits,
                        awaitsHead: false
                    )
                    try channel.pipeline.syncOperations.addHandlers([aggregator, clock])
                    // Each message may have the maximum size.
                    let pressure =
                        NIOAsyncSequenceProducerBackPressureStrategies
                        .HighLowWatermark(lowWatermark: 1, highWatermark: 1)
                    return Speech.webSocket(
                        try NIOAsyncChannel(
                            wrappingChannelSynchronously: channel,
                            configuration: .init(backPressureStrategy: pressure)
                        ),
                        head.headers,
                        needsSecret: responder.isOfPage(head)
                            || channel.peerAddress?.isLoopback != true
                    )
                }
            }
        )
    }
}
