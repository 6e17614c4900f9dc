import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

/// A daemon, and a client for each authority.
struct AccessScene: Sendable {
    let network: NetworkScene
    private let fields: [Authority: [String]]

    static let main = Authority.token(TokenName.main, .manage)
    static let adder = Authority.token("adder", .add)
    static let reader = Authority.token("reader", .read)
    /// The name of a token that no request uses.
    static let spare = "spare"
    static let authorities: [Authority] = [.user, .page, main, adder, reader, .nobody]

    static func make() async throws -> AccessScene {
        let network = try await NetworkScene.make()
        try network.scene.home.makeFolder("Downloads")
        func token(_ scope: String, _ name: String) async throws -> [String] {
            let run = try await network.scene.succeed(
                "daemon",
                "token",
                "--scope",
                scope,
                "--name",
                name
            )
            return ["Authorization: Bearer \(run.output.prefix { $0 != "\n" })"]
        }
        _ = try await token("read", spare)
        let link = try await network.scene.succeed("daemon", "token", "--url").output
        let code = try #require(link.split(separator: "#code=").last).prefix { $0 != "\n" }
        let login = try await network.ask(
            "POST",
            "/v1/login",
            #"{"code":"\#(code)"}"#,
            fields: ["Cookie: none=1"]
        )
        let cookie = try #require(login.fields["set-cookie"]).prefix { $0 != ";" }
        return AccessScene(
            network: network,
            fields: [
                .page: ["Cookie: \(cookie)"],
                main: ["Authorization: Bearer \(network.token)"],
                adder: try await token("add", "adder"),
                reader: try await token("read", "reader"),
                .nobody: ["Cookie: none=1"],
            ]
        )
    }

    /// A stream is cut after its head.
    func ask(
        _ authority: Authority,
        _ method: String,
        _ path: String,
        _ body: String? = nil
    ) async throws -> NetworkScene.Answer {
        let arguments = self.arguments(authority, method, path, body)
        guard path.hasPrefix("/v1/events") else { return try await network.curl(arguments) }
        return try await network.curl(arguments, until: "event-stream")
    }

    /// The arguments of curl for a request.
    func arguments(
        _ authority: Authority,
        _ method: String,
        _ path: String,
        _ body: String?
    ) -> [String] {
        var arguments: [String]
        if authority == .user {
            let socket = network.scene.home.path("run/pawl/daemon.sock")
            arguments = ["--unix-socket", socket, "-X", method, "http://localhost\(path)"]
        } else {
            arguments = (fields[authority] ?? []).flatMap { ["-H", $0] }
            arguments += ["-X", method, "\(network.origin)\(path)"]
        }
        return arguments + Self.arguments(path, body)
    }

    private static func arguments(_ path: String, _ body: String?) -> [String] {
        guard let body else { return [] }
        let type = NetworkScene.mediaType(of: path)
        return ["-H", "Content-Type: \(type)", "--data-binary", body]
    }
}
