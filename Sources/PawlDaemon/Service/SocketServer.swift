internal import Glibc
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// Serves HTTP/1.1 at a socket that is open already.
///
/// Hummingbird's own server only takes an address, which it binds itself: a socket of systemd could
/// not be handed to it, and another's rights could be set only after somebody may have connected.
/// It also wakes once a second for its date.
struct SocketServer<Responder: HTTPResponder>: Sendable
where Responder.Context == BasicRequestContext {
    let responder: Responder
    let logger: Logger
    let memory: IdleMemory

    /// Answers until the task is cancelled, and closes the socket.
    func run(_ descriptor: Int32, whenReady: @Sendable () -> Void) async throws {
        let http = HTTP1Channel(responder: respond)
        let (connections, continuation) = AsyncStream.makeStream(of: (any Channel).self)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            // Nothing is read before somebody is there to take it.
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { channel in
                if case .terminated = continuation.yield(channel) { channel.close(promise: nil) }
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .withBoundSocket(descriptor).get()
        whenReady()
        await withDiscardingTaskGroup { group in
            for await channel in connections {
                group.addTask { await serve(channel, http) }
            }
            // Cancelled: no further ones, and those that are there end.
            try? await listener.close()
            group.cancelAll()
        }
    }

    private func serve(_ channel: any Channel, _ http: HTTP1Channel) async {
        do {
            let connection = try await channel.eventLoop.flatSubmit {
                http.setup(channel: channel, logger: logger)
            }.get()
            // Where that fails, the channel has closed, which is what it is told next.
            try? await channel.setOption(.autoRead, value: true).get()
            await http.handle(value: connection, logger: logger)
        } catch {
            channel.close(promise: nil)
        }
    }

    @Sendable private func respond(
        _ request: Request,
        _ writer: consuming ResponseWriter,
        _ channel: any Channel
    ) async throws {
        let source = ApplicationRequestContextSource(channel: channel, logger: logger)
        let context = BasicRequestContext(source: source)
        var response: Response
        do {
            response = try await responder.respond(to: request, context: context)
        } catch let error as HTTPParserError {
            throw error
        } catch {
            response = Response(status: .internalServerError)
        }
        memory.used()
        response.headers[.date] = Self.date(time(nil))
        response.headers[.server] = "pawl"
        do {
            try await writer.write(response: response.head, body: response.body)
        } catch is HTTPParserError {
            // As such it would be answered a second time.
            throw BrokenRequest()
        }
    }

    private struct BrokenRequest: Error {}

    /// RFC 9110 §5.6.7: `Sat, 21 Nov 2026 20:45:00 GMT`.
    private static func date(_ seconds: time_t) -> String {
        var (seconds, parts) = (seconds, tm())
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return String(decoding: text[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
