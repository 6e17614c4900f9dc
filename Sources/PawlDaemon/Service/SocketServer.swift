internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import NIOPosix
internal import PawlCore
internal import PawlWire

/// Serves HTTP/1.1 at a socket that is open already.
///
/// Hummingbird's own server binds its address itself: it cannot take a socket from systemd, and the
/// permissions of its Unix socket could be set only after a client may have connected. It also
/// wakes once per second for the date.
struct SocketServer<Responder: HTTPResponder>: Sendable where Responder.Context == APIContext {
    let responder: Responder
    let logger: Logger
    let memory: IdleMemory
    let audit: AuditLog
    /// The connections over TCP.
    let register: ConnectionRegister

    /// A socket that is open, with the rules for its connections.
    enum Endpoint: Sendable {
        case socket(Int32)
        case network(NetworkSocket)
    }

    /// Answers until the task is cancelled, and closes the socket.
    func run(_ endpoint: Endpoint, _ whenReady: @Sendable () -> Void) async throws {
        // Only the user connects to the Unix socket.
        let register = endpoint.limits == nil ? nil : register
        let http = Connections(
            plain: channel(endpoint, register),
            secure: channel(endpoint, register, tls: endpoint.tls),
            tls: endpoint.tls,
            // Others could read and change what is not encrypted.
            requiresTLS: endpoint.requiresTLS
        )
        let (connections, continuation) = AsyncStream.makeStream(of: NewConnection.self)
        let listener = try await bootstrap(endpoint, continuation).withBoundSocket(
            endpoint.descriptor
        )
        .get()
        whenReady()
        await withDiscardingTaskGroup { group in
            for await connection in connections {
                guard register?.enter(connection.channel) ?? true else {
                    connection.isReady.fail(Refused())
                    continue
                }
                group.addTask {
                    await serve(connection, http)
                    register?.leave(connection.channel)
                }
            }
            // After a cancellation there are no new connections, and the others end.
            try? await listener.close()
            group.cancelAll()
        }
    }

    private func bootstrap(
        _ endpoint: Endpoint,
        _ connections: AsyncStream<NewConnection>.Continuation
    ) -> ServerBootstrap {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            // One client must not occupy the loop while others wait.
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelInitializer { channel in
                let connection = NewConnection(
                    channel: channel,
                    isReady: channel.eventLoop.makePromise()
                )
                if case .terminated = connections.yield(connection) {
                    connection.isReady.fail(Refused())
                }
                return connection.isReady.futureResult
            }
        guard let limits = endpoint.limits else { return bootstrap }
        return bootstrap.childChannelOption(
            .socketOption(.so_sndbuf),
            value: ChannelOptions.Types.SocketOption.Value(limits.unreadBytes)
        )
    }

    /// How connections are served.
    private struct Connections: Sendable {
        var plain: HTTP1Channel
        var secure: HTTP1Channel
        /// The certificate; `nil` at the Unix socket.
        var tls: CurrentTLS?
        var requiresTLS: Bool
    }

    /// `tls`: the certificate of the connections; `nil` for those without TLS.
    private func channel(
        _ endpoint: Endpoint,
        _ register: ConnectionRegister?,
        tls: CurrentTLS? = nil
    ) -> HTTP1Channel {
        guard let limits = endpoint.limits else {
            let configuration = HTTP1Channel.Configuration(
                additionalChannelHandlers: [MalformedRequestHandler()]
            )
            return HTTP1Channel(responder: respond, configuration: configuration)
        }
        var configuration = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                SlowClientHandler<HTTPRequestPart, HTTPResponsePart>(limits),
                MalformedRequestHandler(),
            ]
        )
        configuration.httpDecoder = HTTP1Channel.Configuration.DecoderConfiguration(
            maxHeaderFieldSize: limits.headBytes,
            maxHeaderListSize: limits.headBytes,
            maxHeaderFieldCount: limits.fields
        )
        let authenticator = endpoint.authenticator
        return HTTP1Channel(
            responder: { request, writer, channel in
                let sender = authenticator.map {
                    Sender(authenticator: $0, address: channel.peerAddress, tls: tls)
                }
                try await respond(request, writer, from: sender) { authority in
                    register?.recognize(channel, as: authority) ?? true
                }
            },
            configuration: configuration
        )
    }

    private func serve(_ connection: NewConnection, _ connections: Connections) async {
        let certificate = connections.tls?.context()
        guard !Task.isCancelled, certificate != nil || !connections.requiresTLS else {
            return connection.isReady.fail(Refused())
        }
        let http = certificate == nil ? connections.plain : connections.secure
        let value: HTTP1Channel.Value
        let activation: EventLoopFuture<Void>
        do {
            activation = try await connection.channel.activation()
            if let certificate, let tls = connections.tls {
                try await connection.channel.eventLoop.submit {
                    guard let session = certificate.makeSession() else { throw Refused() }
                    try connection.channel.pipeline.syncOperations.addHandler(
                        TLSHandler(session, failed: tls.logFailure)
                    )
                }.get()
            }
            value = try await connection.channel.eventLoop.flatSubmit {
                http.setup(channel: connection.channel, logger: logger).flatMapThrowing {
                    handlers in
                    let pipeline = connection.channel.pipeline.syncOperations
                    let decoder = try pipeline.handler(
                        type: ByteToMessageHandler<HTTPRequestDecoder>.self
                    )
                    try pipeline.addHandlers(
                        [AbsoluteTargetHandler(), UnknownCodingHandler()],
                        position: .after(decoder)
                    )
                    return handlers
                }
            }.get()
        } catch {
            return connection.isReady.fail(error)
        }
        connection.isReady.succeed()
        // It never fails.
        try? await activation.get()
        await http.handle(value: value, logger: logger)
    }

    @Sendable private func respond(
        _ request: Request,
        _ writer: consuming ResponseWriter,
        _ channel: any Channel
    ) async throws {
        try await respond(request, writer, from: nil)
    }

    /// The sender of requests over TCP.
    private struct Sender {
        var authenticator: RequestAuthenticator
        var address: IPAddress?
        /// The certificate of the connection; `nil` without TLS.
        var tls: CurrentTLS?
    }

    private func respond(
        _ request: Request,
        _ writer: consuming ResponseWriter,
        from sender: Sender?,
        hasSlot: (Authority) -> Bool = { _ in true }
    ) async throws {
        var response: Response
        do {
            response = try await answer(request, from: sender, hasSlot)
        } catch let error as HTTPParserError {
            throw error
        } catch {
            response = try ProblemMiddleware.response(Self.unknown, .internalServerError)
        }
        memory.used()
        // A refusal has a body, too.
        if request.method == .head { response = response.createHeadResponse() }
        ResponseFields.add(to: &response.headers)
        if request.headers[.connection] == "close" { response.headers[.connection] = "close" }
        do {
            try await writer.write(response: response.head, body: response.body)
        } catch is HTTPParserError {
            // An `HTTPParserError` would be answered a second time.
            throw BrokenRequest()
        }
    }

    /// The request is authenticated before its path is read.
    private func answer(
        _ request: Request,
        from sender: Sender?,
        _ hasSlot: (Authority) -> Bool
    ) async throws -> Response {
        guard let sender else {
            let source = APIContext.Source(logger: logger, authority: .user)
            return try await recorded(request, source) {
                try await responder.respond(to: request, context: APIContext(source: source))
            }
        }
        let authenticator = sender.authenticator
        let client = authenticator.client(
            of: request.head,
            from: sender.address,
            isSecure: sender.tls != nil
        )
        let request = authenticator.ownRequest(request)
        switch try await authenticator.admit(request.head, from: client, tls: sender.tls) {
        case .refused(let response, let authority):
            let source = APIContext.Source(
                logger: logger,
                authority: authority,
                client: client
            )
            return try await recorded(request, source) { response }
        case .admitted(let authority, let mayContinue):
            let source = APIContext.Source(
                logger: logger,
                authority: authority,
                client: client,
                mayContinue: mayContinue
            )
            return try await recorded(request, source) {
                guard authority == .nobody || hasSlot(authority) else {
                    return try RequestAuthenticator.tooManyConnections()
                }
                return try await responder.respond(
                    to: request,
                    context: APIContext(source: source)
                )
            }
        }
    }

    /// Records a request that changes something, with its outcome, in the audit log.
    private func recorded(
        _ request: Request,
        _ source: APIContext.Source,
        _ respond: () async throws -> Response
    ) async throws -> Response {
        guard !Self.reading.contains(request.method) else { return try await respond() }
        var status = HTTPResponse.Status.internalServerError.code
        defer {
            let path = String((request.head.path ?? "").prefix { $0 != "?" && $0 != "#" })
            audit.record(
                APIRoute.shownName(of: request.method.rawValue, path),
                by: source.authority,
                at: source.client.address,
                changed: source.changed.ids,
                status: status
            )
        }
        let response = try await respond()
        status = response.status.code
        return response
    }

    /// The methods that change nothing.
    private static var reading: [HTTPRequest.Method] { [.get, .head, .options, .trace] }

    /// A connection from which nothing is read before its handler is set up.
    private struct NewConnection: Sendable {
        var channel: any Channel
        /// If this fails, the connection is closed.
        var isReady: EventLoopPromise<Void>
    }

    private struct Refused: Error {}

    private struct BrokenRequest: Error {}

    private static var unknown: DownloadError {
        DownloadError(
            .unknown,
            "the daemon could not handle the request",
            advice: "try again; 'pawl daemon logs' may show the reason"
        )
    }
}

extension SocketServer.Endpoint {
    fileprivate var descriptor: Int32 {
        switch self {
        case .socket(let descriptor): descriptor
        case .network(let socket): socket.descriptor
        }
    }

    fileprivate var authenticator: RequestAuthenticator? {
        if case .network(let socket) = self { socket.authenticator } else { nil }
    }

    fileprivate var tls: CurrentTLS? {
        if case .network(let socket) = self { socket.tls } else { nil }
    }

    fileprivate var requiresTLS: Bool {
        if case .network(let socket) = self { !socket.address.isLoopback } else { false }
    }

    fileprivate var limits: ConnectionLimits? {
        if case .network(let socket) = self { socket.limits } else { nil }
    }
}
