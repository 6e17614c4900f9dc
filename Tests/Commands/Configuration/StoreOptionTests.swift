import Glibc
import PawlCore
import PawlTesting
import Testing

/// The address of the daemon's database in options, variables and the config file.
@Suite(.timeLimit(.minutes(5)))
struct StoreOptionTests {
    private static let address = "postgres://me:tiger@127.0.0.1:1/pawl"

    /// A workshop with a config file.
    private func setting(_ text: String) throws -> (Workshop, ProcessSettings) {
        let workshop = try Workshop()
        let file = try workshop.folder.write("config.toml", text)
        chmod(file, 0o600)
        let environment: [String: String?] = ["HOME": workshop.folder.path, "PAWL_CONFIG": file]
        return (workshop, ProcessSettings(environment: environment))
    }

    @Test func `a password in the address is not shown`() async throws {
        let (workshop, settings) = try setting("[defaults]\nstore = \"\(Self.address)\"\n")
        let shown = try await workshop.run("config", "show", settings: settings)
        #expect(shown.output.contains("store = ***"), "\(shown.everything)")
        #expect(!shown.everything.contains("tiger"), "\(shown.everything)")
        let plain = try setting("[defaults]\nstore = \"postgres://me@127.0.0.1/pawl\"\n")
        let full = try await plain.0.run("config", "show", settings: plain.1)
        #expect(full.output.contains("store = postgres://me@127.0.0.1/pawl"), "\(full.everything)")
    }

    @Test func `a config file with a password must be private`() async throws {
        let (workshop, settings) = try setting("[defaults]\nstore = \"\(Self.address)\"\n")
        chmod(workshop.folder.path("config.toml"), 0o644)
        let run = try await workshop.run("config", "show", settings: settings)
        expectFailure(.fileUnreadable, run)
        #expect(run.errors.contains("chmod 600"), "\(run.errors)")
        #expect(!run.everything.contains("tiger"), "\(run.everything)")
    }

    @Test func `a store for some hosts only is refused, and so is one of another kind`()
        async throws
    {
        let section = try setting("[host.\"a.example\"]\nstore = \"service=pawl\"\n")
        expectFailure(.usage, try await section.0.run("config", "check", settings: section.1))
        let other = try setting("[defaults]\nstore = \"mysql://me:tiger@db.example/a\"\n")
        let run = try await other.0.run("config", "check", settings: other.1)
        expectFailure(.usage, run)
        #expect(run.errors.contains("postgres://USER@HOST"), "\(run.errors)")
        #expect(!run.everything.contains("tiger"), "\(run.everything)")
    }

    @Test func `a unit of systemd contains no password`() async throws {
        let (workshop, settings) = try setting("")
        let install = ["daemon", "install", "--print", "--store"]
        let refused = try await workshop.run(install + [Self.address], settings)
        expectFailure(.usage, refused)
        #expect(!refused.everything.contains("tiger"), "\(refused.everything)")
        let unit = try await workshop.run(install + ["service=pawl"], settings)
        #expect(
            unit.output.contains("Environment=\"PAWL_STORE=service=pawl\"\n"),
            "\(unit.everything)"
        )
    }
}
