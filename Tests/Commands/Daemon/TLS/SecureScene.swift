import func Glibc.rename
import PawlTesting
import Testing

/// A daemon that listens with TLS, and the files of its certificate.
struct SecureScene: Sendable {
    let network: NetworkScene
    let files: CertificateFiles

    static func make(
        at address: String = "127.0.0.1:0",
        timeLimit: String = "1000"
    ) async throws -> SecureScene {
        let files = try CertificateFiles()
        try files.write(.localhost)
        let network = try await NetworkScene.make(
            "--tls-cert",
            files.certificate,
            "--tls-key",
            files.key,
            "--client-timeout",
            timeLimit,
            at: address
        )
        return SecureScene(network: network, files: files)
    }

    var origin: String { "https://127.0.0.1:\(network.port)" }

    var token: [String] { ["-H", "Authorization: Bearer \(network.token)"] }

    /// Makes a request with the token; the client trusts the daemon's certificate.
    func ask(_ path: String, _ arguments: String...) async throws -> NetworkScene.Answer {
        try await network.curl(
            ["\(origin)\(path)", "--cacert", files.authority] + token + arguments
        )
    }

    /// Runs curl without the daemon's certificate; returns its status and output.
    func curl(_ arguments: String...) async throws -> FinishedProcess {
        try await ProcessRunner.run(
            "curl",
            ["-sg", "--noproxy", "*", "--max-time", "60"] + arguments
        )
    }
}

/// The files of a certificate and its key, and that of its authority for clients.
struct CertificateFiles: Sendable {
    let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    var certificate: String { folder.path("pawl.pem") }
    var key: String { folder.path("pawl.key") }
    /// Each certificate of the tests is its own authority.
    var authority: String { folder.path("authority.pem") }

    /// Replaces the certificate only.
    func replaceCertificate(_ certificate: TestCertificate?) throws {
        try folder.write("new.pem", try #require(certificate).pem)
        #expect(rename(folder.path("new.pem"), self.certificate) == 0)
    }

    /// Writes or replaces the files; `keyText` is another key than that of the certificate.
    func write(_ certificate: TestCertificate?, keyText: String? = nil) throws {
        let certificate = try #require(certificate)
        try folder.write("new.key", keyText ?? certificate.keyPEM)
        try folder.setPermissions("new.key", 0o600)
        try folder.write("authority.pem", certificate.pem)
        #expect(rename(folder.path("new.key"), key) == 0)
        try replaceCertificate(certificate)
    }
}
