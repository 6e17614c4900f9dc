internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import PawlCore

/// Serves HTTP/1.1 at a socket that is open already.
///
/// Hummingbird's own server only takes an address, which it binds itself: a socket of systemd could
/// not be handed to it, and another's rights could be set only after somebody may have connected.
/// It also wakes once a second for its date.
struct SocketServer<Responder: HTTPResponder>: Sendable where Responder.Context == APIContext {
    let responder: Responder
    let logger: Logger
    let memory: IdleMemory

    /// A socket that is open, and what holds for those who come in by it.
    enum Door: Sendable {
        case socket(Int32)
        case network(NetworkDoor)
    }

    /// Answers until the task is cancelled, and closes the socket.
    func run(_ door: Door, _ whenReady: @Sendable () -> Void) async throws {
        let register = door.limits.map { ConnectionRegister($0) }
        let http = channel(door, register)
        let (connections, continuation) = AsyncStream.makeStream(of: Newcomer.self)
        let listener = try await bootstrap(door, continuation).withBoundSocket(door.descriptor)
            .get()
        whenReady()
        await withDiscardingTaskGroup { group in
            for await newcomer in connections {
                guard register?.enter(newcomer.channel) ?? true else {
                    newcomer.isReady.fail(Unwanted())
                    continue
                }
                group.addTask {
                    await serve(newcomer, http)
                    register?.leave(newcomer.channel)
                }
            }
            // Cancelled: no further ones, and those that are there end.
            try? await listener.close()
            group.cancelAll()
        }
    }

    private func bootstrap(
        _ door: Door,
        _ connections: AsyncStream<Newcomer>.Continuation
    ) -> ServerBootstrap {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                let newcomer = Newcomer(channel: channel, isReady: channel.eventLoop.makePromise())
                if case .terminated = connections.yield(newcomer) {
                    newcomer.isReady.fail(Unwanted())
                }
                return newcomer.isReady.futureResult
            }
        guard let limits = door.limits else { return bootstrap }
        return bootstrap.childChannelOption(
            .socketOption(.so_sndbuf),
            value: ChannelOptions.Types.SocketOption.Value(limits.unreadBytes)
        )
    }

    private func channel(_ door: Door, _ register: ConnectionRegister?) -> HTTP1Channel {
        guard let limits = door.limits else {
            let configuration = HTTP1Channel.Configuration(
                additionalChannelHandlers: [MalformedRequestHandler()]
            )
            return HTTP1Channel(responder: respond, configuration: configuration)
        }
        var configuration = HTTP1Channel.Configuration(
            additionalChannelHandlers: [SlowClientHandler(limits), MalformedRequestHandler()]
        )
        configuration.httpDecoder = HTTP1Channel.Configuration.DecoderConfiguration(
            maxHeaderFieldSize: limits.headBytes,
            maxHeaderListSize: limits.headBytes,
            maxHeaderFieldCount: limits.fields
        )
        let gate = door.gate
        return HTTP1Channel(
            responder: { request, writer, channel in
                try await respond(request, writer, behind: gate) { authority in
                    register?.recognize(channel, as: authority) ?? true
                }
            },
            configuration: configuration
        )
    }

    private func serve(_ newcomer: Newcomer, _ http: HTTP1Channel) async {
        guard !Task.isCancelled else { return newcomer.isReady.fail(Unwanted()) }
        let connection: HTTP1Channel.Value
        do {
            connection = try await newcomer.channel.eventLoop.flatSubmit {
                http.setup(channel: newcomer.channel, logger: logger).flatMapThrowing { value in
                    let pipeline = newcomer.channel.pipeline.syncOperations
                    let decoder = try pipeline.handler(
                        type: ByteToMessageHandler<HTTPRequestDecoder>.self
                    )
                    try pipeline.addHandler(AbsoluteTargetHandler(), position: .after(decoder))
                    return value
                }
            }.get()
        } catch {
            return newcomer.isReady.fail(error)
        }
        newcomer.isReady.succeed()
        await untilActive(newcomer.channel)
        await http.handle(value: connection, logger: logger)
    }

    /// What is cancelled closes its channel, and one that the loop does not know yet cannot be closed.
    private func untilActive(_ channel: any Channel) async {
        // The loop needs a few turns for that; one that has closed meanwhile will never be.
        for _ in 0..<8 where !channel.isActive {
            try? await channel.eventLoop.submit {}.get()
        }
    }

    @Sendable private func respond(
        _ request: Request,
        _ writer: consuming ResponseWriter,
        _ channel: any Channel
    ) async throws {
        try await respond(request, writer, behind: nil)
    }

    private func respond(
        _ request: Request,
        _ writer: consuming ResponseWriter,
        behind gate: RequestGate?,
        hasSeat: (Authority) -> Bool = { _ in true }
    ) async throws {
        var response: Response
        do {
            response = try await answer(request, behind: gate, hasSeat)
        } catch let error as HTTPParserError {
            throw error
        } catch {
            response = try ProblemMiddleware.response(Self.unknown, .internalServerError)
        }
        memory.used()
        // A refusal has one, too.
        if request.method == .head { response = response.createHeadResponse() }
        AnswerFields.add(to: &response.headers)
        do {
            try await writer.write(response: response.head, body: response.body)
        } catch is HTTPParserError {
            // As such it would be answered a second time.
            throw BrokenRequest()
        }
    }

    /// The gate is asked before anything looks at the path.
    private func answer(
        _ request: Request,
        behind gate: RequestGate?,
        _ hasSeat: (Authority) -> Bool
    ) async throws -> Response {
        guard let gate else {
            let source = APIContext.Source(logger: logger, authority: .user)
            return try await responder.respond(to: request, context: APIContext(source: source))
        }
        switch try await gate.admit(request.head) {
        case .refused(let response): return response
        case .admitted(let authority, let mayGoOn):
            guard authority == .nobody || hasSeat(authority) else {
                return try RequestGate.tooManyConnections()
            }
            let source = APIContext.Source(
                logger: logger,
                authority: authority,
                mayGoOn: mayGoOn
            )
            return try await responder.respond(to: request, context: APIContext(source: source))
        }
    }

    /// A connection from which nothing is read before somebody is there to take it.
    private struct Newcomer: Sendable {
        var channel: any Channel
        /// It is closed where this fails.
        var isReady: EventLoopPromise<Void>
    }

    private struct Unwanted: Error {}

    private struct BrokenRequest: Error {}

    private static var unknown: DownloadError {
        DownloadError(
            .unknown,
            "the daemon failed to answer",
            advice: "ask again; pawl daemon logs may say why"
        )
    }
}

extension SocketServer.Door {
    fileprivate var descriptor: Int32 {
        switch self {
        case .socket(let descriptor): descriptor
        case .network(let door): door.descriptor
        }
    }

    fileprivate var gate: RequestGate? {
        if case .network(let door) = self { door.gate } else { nil }
    }

    fileprivate var limits: ConnectionLimits? {
        if case .network(let door) = self { door.limits } else { nil }
    }
}
