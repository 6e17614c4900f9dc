import PawlCore
import PawlTesting
import PawlWire
import Testing

/// A daemon that listens for TCP, and programs that connect to it.
struct NetworkScene: Sendable {
    let scene: DaemonScene
    let daemon: ProcessRunner
    let port: Int
    let token: String

    struct Answer: Sendable {
        var status: Int
        /// Names in small letters.
        var fields: [String: String]
        var body: String

        var problem: Problem? { try? WireJSON.decode(Problem.self, from: body.utf8) }
    }

    static func make(_ options: String..., at address: String = "127.0.0.1:0") async throws
        -> NetworkScene
    {
        let scene = try DaemonScene(Workshop())
        let arguments = ["daemon", "run", "--listen", address] + options
        let daemon = try scene.start(arguments, [:])
        let isReady = await daemon.waitForOutput(containing: "listens at")
        #expect(isReady, "\(daemon.errors)")
        return try await attach(to: daemon, of: scene)
    }

    /// For a daemon that is ready.
    static func attach(
        to daemon: ProcessRunner,
        of scene: DaemonScene
    ) async throws -> NetworkScene {
        let status = try await scene.succeed("daemon", "status", "--json")
        let about = try WireJSON.decode(DaemonStatus.self, from: status.output.utf8)
        let url = try #require(about.url)
        let token = try await scene.succeed("daemon", "token").output
        return NetworkScene(
            scene: scene,
            daemon: daemon,
            port: try #require(url.split(separator: ":").last.flatMap { Int($0) }),
            token: String(token.prefix { $0 != "\n" })
        )
    }

    /// The daemon's own number, which `pawl daemon run` keeps.
    var daemonProcess: Int32 { daemon.identifier }

    var origin: String { "http://127.0.0.1:\(port)" }

    /// Makes a request with the token unless another `Authorization` is given.
    func ask(
        _ method: String,
        _ path: String,
        _ body: String? = nil,
        fields: [String] = []
    ) async throws -> Answer {
        var arguments = fields.flatMap { ["-H", $0] }
        if !fields.contains(where: { $0.hasPrefix("Authorization") || $0.hasPrefix("Cookie") }) {
            arguments += ["-H", "Authorization: Bearer \(token)"]
        }
        if let body {
            arguments += ["--data-binary", body]
            if !fields.contains(where: { $0.hasPrefix("Content-Type") }) {
                arguments += ["-H", "Content-Type: \(Self.mediaType(of: path))"]
            }
        }
        return try await curl(["-X", method, "\(origin)\(path)"] + arguments)
    }

    /// Returns the media type of the bodies that a route accepts.
    static func mediaType(of path: String) -> String {
        path.hasPrefix(APIPath.imports) ? "application/x-ndjson" : "application/json"
    }

    func curl(_ arguments: [String]) async throws -> Answer {
        let run = try await ProcessRunner.run(
            "curl",
            ["-sg", "-D", "-", "--noproxy", "*", "--path-as-is", "--max-time", "60"] + arguments
        )
        return Answer(run.output)
    }

    /// Makes a request whose response may not end; stops when the text, and a whole head, has
    /// arrived.
    func curl(_ arguments: [String], until text: String) async throws -> Answer {
        let runner = try ProcessRunner(
            "curl",
            ["-sgN", "-D", "-", "--noproxy", "*", "--path-as-is"] + arguments
        )
        await runner.waitForOutput { $0.contains(text) && $0.contains("\r\n\r\n") }
        return Answer(runner.output)
    }

    /// A program that connects and sends the output of bash's `printf` for a text; its own output
    /// is the response, and it ends when the daemon closes the connection.
    func connect(sending text: String, then script: String = "cat <&3") throws -> ProcessRunner {
        try ProcessRunner(
            "bash",
            ["-c", "exec 3<>/dev/tcp/127.0.0.1/\(port); printf \"$1\" >&3; \(script)", "-", text]
        )
    }
}

extension NetworkScene.Answer {
    /// The response as received.
    init(_ wire: String) {
        let text = wire.replacing("\r\n", with: "\n")
        let parts = text.split(separator: "\n\n", maxSplits: 1, omittingEmptySubsequences: false)
        let lines = (parts.first ?? "").split(separator: "\n")
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let words = line.split(separator: ":", maxSplits: 1)
            guard words.count == 2 else { continue }
            fields[words[0].lowercased()] = String(words[1].drop { $0 == " " })
        }
        self.init(
            status: lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0,
            fields: fields,
            body: parts.count > 1 ? String(parts[1]) : ""
        )
    }
}
