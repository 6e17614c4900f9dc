import func Glibc.rename
import Logging
import PawlCore
import PawlDaemon
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CurrentTLSTests {
    private let folder: ScratchFolder
    private let files: TLSFiles

    init() throws {
        folder = try ScratchFolder()
        files = TLSFiles(certificate: folder.path("pawl.pem"))
    }

    /// Writes a file with a certificate and its key.
    private func write(_ certificate: TestCertificate?, key: TestCertificate? = nil) throws {
        let certificate = try #require(certificate)
        let text = certificate.pem + (key ?? certificate).keyPEM
        // As programs that renew certificates do it: the old file is replaced.
        try folder.write("new.pem", text)
        try folder.setPermissions("new.pem", 0o600)
        #expect(rename(folder.path("new.pem"), files.certificate) == 0)
    }

    private func current() throws -> CurrentTLS {
        let current = CurrentTLS(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        current.set(try CurrentTLS.Loaded(files))
        return current
    }

    @Test func `a renewed certificate is read, at most once per second`() throws {
        try write(.localhost)
        let current = try current()
        let start = ContinuousClock.now
        let first = try #require(current.context(at: start))
        try write(.renewed)
        #expect(current.context(at: start + .milliseconds(999)) === first)
        let second = try #require(current.context(at: start + .seconds(1)))
        #expect(second !== first)
        #expect(current.context(at: start + .seconds(10)) === second)
    }

    @Test func `a file that cannot be used keeps the previous certificate`() throws {
        try write(.localhost)
        let current = try current()
        let start = ContinuousClock.now
        let first = try #require(current.context(at: start))
        // A certificate without its key, which a renewal may write later.
        try write(.renewed, key: .localhost)
        #expect(current.context(at: start + .seconds(2)) === first)
        try folder.write("pawl.pem", "damaged")
        #expect(current.context(at: start + .seconds(4)) === first)
        #expect(rename(files.certificate, folder.path("away.pem")) == 0)
        #expect(current.context(at: start + .seconds(6)) === first)
        try write(.renewed)
        #expect(current.context(at: start + .seconds(8)) !== first)
    }

    @Test func `without a certificate there is no TLS`() throws {
        try write(.localhost)
        let current = try current()
        #expect(current.isOn && current.isFor("localhost"))
        current.set(nil)
        #expect(!current.isOn && !current.isFor("localhost"))
        #expect(current.context() == nil)
    }

    @Test func `a certificate is for its names and addresses only`() throws {
        try write(.localhost)
        let context = try TLSContext(files)
        for host in ["localhost", "LOCALHOST", "127.0.0.1", "::1", "[::1]"] {
            #expect(context.isFor(host), "\(host)")
        }
        let long = String(repeating: "a", count: 300)
        for host in ["", "localhost.", "evil.example", "127.0.0.2", "::2", "localhost\0", long] {
            #expect(!context.isFor(host), "\(host)")
        }
    }

    @Test func `a key that others can read is refused`() throws {
        try write(.localhost)
        for mode: UInt32 in [0o640, 0o604, 0o660, 0o644] {
            try folder.setPermissions("pawl.pem", mode)
            let error = #expect(throws: DownloadError.self) { try TLSContext(files) }
            #expect(error?.message.contains("other users can access the TLS key") == true)
            #expect(error?.advice.isEmpty == false)
        }
        try folder.setPermissions("pawl.pem", 0o400)
        #expect(throws: Never.self) { try TLSContext(files) }
    }
}
