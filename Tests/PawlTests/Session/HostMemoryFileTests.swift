import Glibc
import Pawl
import PawlCore
import PawlEngine
import PawlTesting
import Testing

/// Tests of the file in which programs share what they have learned of hosts.
@Suite(.timeLimit(.minutes(5)))
struct HostMemoryFileTests {
    private let folder: ScratchFolder
    private let path = HostPath(host: "example.org:443", localAddress: IPAddress("192.168.1.7"))

    init() throws { folder = try ScratchFolder() }

    /// A memory as another process would have it.
    private func memory() -> HostMemoryFile {
        let path = folder.path("hosts")
        return HostMemoryFile { (_) throws(DownloadError) in path }
    }

    private func record(_ connections: Int) -> HostRecord {
        let best = ConnectionSpeed(connections: connections, bytesPerSecond: 1e6, isProven: true)
        return HostRecord(best: best, roundTrip: .milliseconds(20))
    }

    private func host(_ number: Int) -> HostPath {
        HostPath(host: "host\(number).example.org:443", localAddress: IPAddress("192.168.1.7"))
    }

    @Test func `another process knows what this one has learned`() throws {
        let (one, other) = (memory(), memory())
        #expect(other.record(of: path) == nil)
        one.learn(record(6), of: path)
        #expect(other.record(of: path)?.best?.connections == 6)
        other.learn(record(3), of: path)
        #expect(one.record(of: path)?.best?.connections == 3)
    }

    @Test func `only the user can read the file, and it names no host`() throws {
        memory().learn(record(6), of: path)
        var status = stat()
        #expect(lstat(folder.path("hosts"), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        let text = try folder.readText("hosts")
        #expect(!text.contains("example"))
        #expect(text.split(separator: "\n").count == 2)
        #expect(folder.list() == ["hosts"])
    }

    @Test func `another network is another path to a host`() {
        let memory = memory()
        memory.learn(record(6), of: path)
        let sameNetwork = HostPath(host: path.host, localAddress: IPAddress("192.168.1.200"))
        let otherNetwork = HostPath(host: path.host, localAddress: IPAddress("192.168.2.7"))
        let otherPort = HostPath(host: "example.org:80", localAddress: IPAddress("192.168.1.7"))
        #expect(memory.record(of: sameNetwork) != nil)
        #expect(memory.record(of: otherNetwork) == nil)
        #expect(memory.record(of: otherPort) == nil)
    }

    @Test(arguments: ["127.0.0.1", "::1", ""])
    func `this machine and unknown networks are not remembered`(address: String) {
        let path = HostPath(host: "localhost:80", localAddress: IPAddress(address))
        let memory = memory()
        memory.learn(record(6), of: path)
        #expect(memory.record(of: path) == nil)
        #expect(!folder.exists("hosts"))
    }

    @Test(arguments: ["", "\u{0}\u{0}\u{0}", "pawl-hosts-9 salt\n", "pawl-hosts-1 sa"])
    func `a damaged file is replaced`(text: String) throws {
        chmod(try folder.write("hosts", text), 0o600)
        let memory = memory()
        #expect(memory.record(of: path) == nil)
        memory.learn(record(6), of: path)
        #expect(self.memory().record(of: path)?.best?.connections == 6)
    }

    @Test func `a removed file is written again`() throws {
        let memory = memory()
        memory.learn(record(6), of: path)
        unlink(folder.path("hosts"))
        #expect(memory.record(of: path)?.best?.connections == 6)
        memory.learn(record(5), of: host(1))
        let other = self.memory()
        #expect(other.record(of: path)?.best?.connections == 6)
        #expect(other.record(of: host(1)) != nil)
    }

    @Test func `without a folder, the process remembers by itself`() {
        let memory = HostMemoryFile { (_) throws(DownloadError) in
            throw DownloadError(.directoryNotUsable, "there is no home folder", advice: "")
        }
        memory.learn(record(6), of: path)
        #expect(memory.record(of: path)?.best?.connections == 6)
    }

    @Test func `many writers at once leave a file that all can read`() async throws {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let memory = self.memory()
                    for round in 0..<20 {
                        memory.learn(record(1 + round % 16), of: host(number))
                        _ = memory.record(of: host((number + 1) % 8))
                    }
                }
            }
        }
        let memory = memory()
        memory.learn(record(9), of: path)
        #expect(self.memory().record(of: path)?.best?.connections == 9)
        let known = (0..<8).count { memory.record(of: host($0)) != nil }
        #expect(known > 0)
        #expect(folder.list() == ["hosts"])
    }
}
