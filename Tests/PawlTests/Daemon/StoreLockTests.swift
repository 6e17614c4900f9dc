import Glibc
import Pawl
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct StoreLockTests {
    @Test func `one daemon owns a folder, and the second reports which`() throws {
        let folder = try ScratchFolder()
        let first = try StoreLock(folder: folder.path)
        let error = #expect(throws: DownloadError.self) { try StoreLock(folder: folder.path) }
        #expect(error?.code == .alreadyRunning)
        #expect(error?.message.contains("process \(getpid())") == true)
        #expect(StoreLock.owner(in: folder.path) == .process(getpid()))
        withExtendedLifetime(first) {}
    }
}
