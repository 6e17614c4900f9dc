import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

/// A server of aria2's RPC: Pawl's daemon, or aria2 itself.
struct Aria2Endpoint: Sendable {
    /// The URL without a path.
    let origin: String
    let secret: String

    /// Makes a request; `body` is sent as it is.
    func ask(
        _ method: String,
        _ path: String = "/jsonrpc",
        _ body: String? = nil,
        fields: [String] = []
    ) async throws -> NetworkScene.Answer {
        let content = body.map { ["--data-binary", $0] } ?? []
        let run = try await ProcessRunner.run(
            "curl",
            ["-sg", "-D", "-", "--noproxy", "*", "--max-time", "60", "-X", method]
                + fields.flatMap { ["-H", $0] } + content + ["\(origin)\(path)"]
        )
        return NetworkScene.Answer(run.output)
    }

    /// A call as an object of JSON.
    func object(
        _ method: String,
        _ parameters: [JSONValue] = [],
        secret: String? = nil
    ) -> JSONValue {
        let token = JSONValue.text("token:\(secret ?? self.secret)")
        let name = method.contains(".") ? method : "aria2.\(method)"
        return [
            "jsonrpc": "2.0", "id": "1", "method": .text(name),
            "params": .list((name.hasPrefix("system.") ? [] : [token]) + parameters),
        ]
    }

    /// Calls a method; returns the status and the body of the response.
    func respond(to call: JSONValue) async throws -> (status: Int, value: JSONValue) {
        let body = String(decoding: try WireJSON.encode(call), as: UTF8.self)
        let answer = try await ask("POST", "/jsonrpc", body)
        return (answer.status, try WireJSON.decode(JSONValue.self, from: answer.body.utf8))
    }

    /// Calls a method that must succeed.
    func call(
        _ method: String,
        _ parameters: JSONValue...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> JSONValue {
        let (_, value) = try await respond(to: object(method, parameters))
        return try #require(value["result"], "\(value)", sourceLocation: sourceLocation)
    }

    /// Calls a method that must fail; returns the message.
    func failure(
        _ method: String,
        _ parameters: JSONValue...,
        secret: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let (status, value) = try await respond(to: object(method, parameters, secret: secret))
        #expect(status == 400, sourceLocation: sourceLocation)
        #expect(value["error"]?["code"] == 1, "\(value)", sourceLocation: sourceLocation)
        return value["error"]?["message"]?.string ?? ""
    }

    /// Adds a download; returns its GID.
    func add(_ uris: String..., options: JSONValue = [:]) async throws -> JSONValue {
        try await call("addUri", .list(uris.map { .text($0) }), options)
    }

    /// Asks for the status until it is this one.
    func wait(for status: String, of gid: JSONValue) async throws {
        while try await call("tellStatus", gid, ["status"])["status"] != .text(status) {
            try Task.checkCancellation()
        }
    }
}

extension JSONValue {
    var string: String? { if case .text(let text) = self { text } else { nil } }

    var values: [JSONValue] { if case .list(let values) = self { values } else { [] } }

    var names: Set<String> {
        guard case .members(let members) = self else { return [] }
        return Set(members.map(\.name))
    }
}

/// A daemon that answers clients of aria2.
struct Aria2Scene: Sendable {
    let scene: DaemonScene
    let daemon: ProcessRunner
    let aria2: Aria2Endpoint

    static func make(_ options: String...) async throws -> Aria2Scene {
        let scene = try DaemonScene(Workshop())
        let daemon = try scene.start(
            ["daemon", "run", "--aria2-rpc", "127.0.0.1:0"] + options,
            [:]
        )
        let isReady = await daemon.waitForOutput(containing: "listens at")
        #expect(isReady, "\(daemon.errors)")
        return try await attach(to: daemon, of: scene)
    }

    /// For a daemon that is ready.
    static func attach(
        to daemon: ProcessRunner,
        of scene: DaemonScene
    ) async throws -> Aria2Scene {
        let status = try await scene.succeed("daemon", "status", "--json")
        let about = try WireJSON.decode(DaemonStatus.self, from: status.output.utf8)
        let url = try #require(about.aria2URL)
        #expect(url.hasSuffix("/jsonrpc"))
        let token = try await scene.succeed("daemon", "token").output.prefix { $0 != "\n" }
        return Aria2Scene(
            scene: scene,
            daemon: daemon,
            aria2: Aria2Endpoint(
                origin: String(url.dropLast("/jsonrpc".count)),
                secret: String(token)
            )
        )
    }

    var port: Substring { aria2.origin.split(separator: ":").last ?? "" }

    func token(scope: String) async throws -> String {
        let run = try await scene.succeed("daemon", "token", "--scope", scope)
        return String(run.output.prefix { $0 != "\n" })
    }

    /// Lets downloads connect to the origin of the test.
    func allowPrivateAddresses() async throws {
        try await scene.succeed("daemon", "allow", "--private-addresses", "yes")
    }

    /// Opens a connection and sends bytes; the output of the program is the response.
    func connect(sending bytes: [UInt8]) throws -> ProcessRunner {
        // `printf` understands each byte in base 8.
        let text = bytes.map { "\\" + String(UInt32($0) + 0o1000, radix: 8).dropFirst() }.joined()
        return try ProcessRunner(
            "bash",
            ["-c", "exec 3<>/dev/tcp/127.0.0.1/\(port); printf \"$1\" >&3; cat <&3", "-", text]
        )
    }

    /// Opens a WebSocket and sends frames.
    ///
    /// `origin`: the origin of the page that opens it; `nil` for a program.
    func openWebSocket(
        path: String = "/jsonrpc",
        origin: String? = "https://ui.example",
        sending frames: [UInt8]...
    ) throws -> ProcessRunner {
        let field = origin.map { "Origin: \($0)\r\n" } ?? ""
        let head = """
            GET \(path) HTTP/1.1\r
            Host: 127.0.0.1:\(port)\r
            \(field)Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            Sec-WebSocket-Version: 13\r
            \r

            """
        return try connect(sending: Array(head.utf8) + frames.joined())
    }

    /// Opens a WebSocket, sends frames, and reads nothing; prints `closed` when the daemon has closed
    /// the connection.
    func connectWithoutReading(webSocketFrames frames: [UInt8]) throws -> ProcessRunner {
        let path = try scene.home.write("frames", frames)
        let program = """
            import select, socket, sys
            connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall((
                "GET /jsonrpc HTTP/1.1\\r\\nHost: 127.0.0.1:" + sys.argv[1] + "\\r\\n"
                "Upgrade: websocket\\r\\nConnection: Upgrade\\r\\n"
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\\r\\n"
                "Sec-WebSocket-Version: 13\\r\\n\\r\\n").encode())
            try:
                connection.sendall(open(sys.argv[2], "rb").read())
            except OSError:
                pass
            poll = select.poll()
            poll.register(connection, select.POLLRDHUP | select.POLLHUP | select.POLLERR)
            connection.setblocking(False)
            while not poll.poll(100):
                try:
                    # A closed connection answers this with a reset.
                    connection.send(b"\\x89\\x80\\0\\0\\0\\0")
                except BlockingIOError:
                    pass
                except OSError:
                    break
            print("closed", flush=True)
            """
        return try ProcessRunner("python3", ["-c", program, String(port), path])
    }

    /// A frame of a client, with a mask of zeros (RFC 6455 §5.2).
    static func frame(_ text: String, opcode: UInt8 = 1, isLast: Bool = true) -> [UInt8] {
        let bytes = Array(text.utf8)
        let length: [UInt8] =
            bytes.count < 126
            ? [0x80 | UInt8(bytes.count)]
            : [0xFE, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
        return [(isLast ? 0x80 : 0) | opcode] + length + [0, 0, 0, 0] + bytes
    }

    func frame(_ method: String, _ parameters: [JSONValue] = []) throws -> [UInt8] {
        let call = try WireJSON.encode(aria2.object(method, parameters))
        return Self.frame(String(decoding: call, as: UTF8.self))
    }
}
