import Pawl
import PawlCore
import PawlTesting
import PawlWire
import Testing

/// The errors about a daemon that does not respond help a program that comes without `pawl`.
@Suite(.timeLimit(.minutes(5)))
struct DaemonAbsenceTests {
    private let folder: ScratchFolder
    private let paths: DaemonPaths

    init() throws {
        folder = try ScratchFolder()
        paths = try DaemonPaths.prepared(in: folder)
    }

    private func error() async throws -> DownloadError {
        let client = DaemonClient(paths, patience: .zero)
        return try #require(await #expect(throws: DownloadError.self) { try await client.status() })
    }

    @Test(arguments: [StoreLock.Phase?.none, .starting, .listening, .stopping])
    func `the library's advice about the daemon names no command`(phase: StoreLock.Phase?)
        async throws
    {
        var lock: StoreLock?
        if let phase {
            lock = try StoreLock(folder: paths.storeFolder)
            lock?.enter(phase)
        }
        let error = try await error()
        #expect(error.code == .daemonUnavailable)
        #expect(!error.advice.isEmpty)
        #expect(!error.description.contains("'pawl"), "\(error)")
        withExtendedLifetime(lock) {}
    }

    @Test func `the notice about an older daemon has the words of its reader`() {
        let notice = DaemonClient(paths).olderNotice
        #expect(!notice.text(for: .library).contains("pawl"))
        #expect(notice.text(for: .command).hasSuffix("; run 'pawl daemon restart'"))
    }

    @Test func `an older daemon over TCP is replaced on its own machine`() throws {
        let remote = RemoteDaemon(try BaseURL(parsing: "https://nas.example"), token: "x")
        let notice = DaemonClient(paths, remote: remote).olderNotice.text(for: .command)
        #expect(notice.contains("on the daemon's machine"))
    }
}
