import Glibc
import PawlCore
import PawlTesting
import Testing

/// A daemon over TLS, and a user of another machine: with a home, a config file and a folder of their
/// own, but without the daemon's socket and files.
struct RemoteScene: Sendable {
    let secure: SecureScene
    let user: DaemonScene
    /// The file with the main token.
    let tokenFile: String

    static func make(at address: String = "127.0.0.1:0") async throws -> RemoteScene {
        let secure = try await SecureScene.make(at: address)
        let daemon = secure.network.scene
        try daemon.home.makeFolder("Downloads")
        try await daemon.succeed("daemon", "allow", "--private-addresses", "yes")
        let user = try DaemonScene(Workshop())
        let tokenFile = try user.home.write("token", "\(secure.network.token)\n")
        try user.home.setPermissions("token", 0o600)
        return RemoteScene(secure: secure, user: user, tokenFile: tokenFile)
    }

    /// The daemon's own machine.
    var daemon: DaemonScene { secure.network.scene }

    /// The folder in which the daemon saves files.
    var downloads: String { daemon.home.path("Downloads") }

    /// The options that choose the daemon.
    func choice(token: String? = nil, authority: String? = nil) -> [String] {
        [
            "--daemon", secure.origin, "--daemon-token-file", token ?? tokenFile,
            "--daemon-cacert", authority ?? secure.files.authority,
        ]
    }

    /// Runs a command of the user with the daemon.
    func run(_ arguments: String...) async throws -> FinishedProcess {
        try await user.workshop.run(choice() + arguments, user.settings)
    }

    /// Runs a command of the user with these arguments alone.
    ///
    /// `environment`: its other variables.
    func run(
        plain arguments: [String],
        _ environment: [String: String?] = [:]
    ) async throws -> FinishedProcess {
        var settings = user.settings
        settings.environment.merge(environment) { _, own in own }
        return try await user.workshop.run(arguments, settings)
    }

    /// Runs a command that must succeed.
    @discardableResult
    func succeed(
        _ arguments: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> FinishedProcess {
        let run = try await user.workshop.run(choice() + arguments, user.settings)
        #expect(run.status == .code(0), "\(run.errors)", sourceLocation: sourceLocation)
        return run
    }

    /// Returns a private file with a new token of this scope.
    func tokenFile(scope: String) async throws -> String {
        let run = try await daemon.succeed("daemon", "token", "--scope", scope)
        let path = try user.home.write(scope, run.output)
        try user.home.setPermissions(scope, 0o600)
        return path
    }

    /// No daemon of the user was started.
    func expectNoOwnDaemon(sourceLocation: SourceLocation = #_sourceLocation) {
        let hasQueue = user.home.exists("state/pawl/queue.sqlite")
        #expect(!hasQueue, sourceLocation: sourceLocation)
    }
}
