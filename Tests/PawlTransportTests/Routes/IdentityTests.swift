import FoundationEssentials
import PawlCore
import PawlTesting
import PawlTransport
import Testing

/// Client certificates and pinned keys, with nginx as the server.
@Suite(.timeLimit(.minutes(5)))
struct IdentityTests {
    private func openssl(_ arguments: String...) async throws {
        let result = try await ProcessRunner.run("openssl", arguments)
        guard result.status == .code(0) else {
            throw ServerFailure(description: "openssl: \(result.errors)")
        }
    }

    /// Makes a client's certificate and key, in each form.
    private func makeIdentity(in folder: ScratchFolder) async throws {
        let (certificate, key) = (folder.path("client.pem"), folder.path("client.key"))
        try await openssl(
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-subj",
            "/CN=client",
            "-days",
            "2",
            "-keyout",
            key,
            "-out",
            certificate
        )
        try await openssl(
            "rsa",
            "-aes256",
            "-passout",
            "pass:secret",
            "-in",
            key,
            "-out",
            folder.path("locked.key")
        )
        try await openssl(
            "pkcs12",
            "-export",
            "-passout",
            "pass:secret",
            "-in",
            certificate,
            "-inkey",
            key,
            "-out",
            folder.path("client.p12")
        )
        try folder.write(
            "both.pem",
            try folder.readText("client.pem") + folder.readText("client.key")
        )
    }

    @Test func `a client certificate is presented in each form`() async throws {
        let folder = try ScratchFolder()
        try await makeIdentity(in: folder)
        let server = try await NginxServer(
            http2: false,
            "ssl_client_certificate \(folder.path("client.pem")); ssl_verify_client on;"
        )
        try server.put("file", Array("hello".utf8))
        let identities = [
            ClientIdentity(
                certificateFile: folder.path("client.pem"),
                keyFile: folder.path("client.key")
            ),
            ClientIdentity(certificateFile: folder.path("both.pem")),
            ClientIdentity(
                certificateFile: folder.path("client.pem"),
                keyFile: folder.path("locked.key"),
                keyPassword: "secret"
            ),
            ClientIdentity(certificateFile: folder.path("client.p12"), keyPassword: "secret"),
        ]
        try await withTransport { transport in
            for identity in identities + [ClientIdentity()] {
                var request = TransferRequest(url: try makeURL(server.url("file")))
                request.connection.authoritiesFile = server.authority
                request.connection.clientIdentity = identity
                let record = try await fetch(request, over: transport)
                // nginx answers 400 to a request without a certificate.
                let isKnown = identity != ClientIdentity()
                #expect(
                    record.heads.first?.status == (isKnown ? 200 : 400),
                    "\(identity): \(record.message)"
                )
            }
        }
    }

    @Test func `an unusable client certificate is named in the error`() async throws {
        let folder = try ScratchFolder()
        try await makeIdentity(in: folder)
        let server = try await NginxServer(http2: false)
        for identity in [
            ClientIdentity(certificateFile: folder.path("missing.pem")),
            ClientIdentity(
                certificateFile: folder.path("client.pem"),
                keyFile: folder.path("locked.key"),
                keyPassword: "wrong-secret"
            ),
            // Without a password, OpenSSL asks nobody.
            ClientIdentity(
                certificateFile: folder.path("client.pem"),
                keyFile: folder.path("locked.key")
            ),
            ClientIdentity(certificateFile: folder.path("client.p12")),
        ] {
            var request = TransferRequest(url: try makeURL(server.url("file")))
            request.connection.authoritiesFile = server.authority
            request.connection.clientIdentity = identity
            let record = try await fetch(request)
            #expect(record.failure == .clientKeyUnusable)
            #expect(record.message.contains(folder.path), "\(record.message)")
            #expect(!record.message.contains("wrong-secret"))
            #expect(!"\(identity)".contains("secret"))
        }
    }

    @Test func `only a server with a pinned key is used`() async throws {
        let server = try await NginxServer(http2: false)
        try server.put("file", Array("hello".utf8))
        let folder = try ScratchFolder()
        try await openssl(
            "x509",
            "-in",
            server.authority,
            "-pubkey",
            "-noout",
            "-out",
            folder.path("key.pem")
        )
        try await openssl(
            "pkey",
            "-pubin",
            "-in",
            folder.path("key.pem"),
            "-outform",
            "der",
            "-out",
            folder.path("key.der")
        )
        try await openssl(
            "dgst",
            "-sha256",
            "-binary",
            "-out",
            folder.path("digest"),
            folder.path("key.der")
        )
        let right = Data(try folder.read("digest")).base64EncodedString()
        let wrong = Data(repeating: 7, count: 32).base64EncodedString()
        try await withTransport { transport in
            for (keys, isRight) in [
                ([right], true), ([wrong], false), ([wrong, right], true),
                (["sha256//" + right], true), (["sha256//" + wrong], false),
            ] {
                var request = TransferRequest(url: try makeURL(server.url("file")))
                request.connection.authoritiesFile = server.authority
                request.connection.pinnedPublicKeys = keys
                let record = try await fetch(request, over: transport)
                #expect(record.failure == (isRight ? nil : .keyRefused), "\(record.message)")
            }
        }
    }
}
