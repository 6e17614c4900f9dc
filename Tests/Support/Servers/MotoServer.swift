import Glibc

/// moto, which simulates AWS, as `scripts/setup --tests` installs it.
package final class MotoServer: Sendable {
    private static let program = BuiltProduct.folder + "/../../moto/bin/moto_server"
    package static let bucket = "photos"

    /// Whether it is installed.
    package static var isInstalled: Bool { access(program, X_OK) == 0 }
    /// A Python with AWS's own client, boto3, on which moto depends.
    package static let python = BuiltProduct.folder + "/../../moto/bin/python"

    private let server: ServerProgram
    /// The folder of the bodies to store.
    private let folder: ScratchFolder

    /// Starts the server with a bucket.
    package init() async throws {
        server = try await ServerProgram(Self.program) { _, port in
            ["-H", "127.0.0.1", "-p", "\(port)"]
        }
        folder = try ScratchFolder()
        try await ask("PUT", "/\(Self.bucket)")
    }

    package var port: UInt16 { server.port }

    package var endpoint: String { "http://127.0.0.1:\(server.port)" }

    /// The requests that it has received, one per line.
    package var log: String { server.log }

    /// Stores an object.
    package func store(_ bytes: [UInt8], as key: String, _ fields: String...) async throws {
        try folder.write("body", bytes)
        let upload = ["--data-binary", "@" + folder.path("body")]
        let lines = (["Content-Type: application/octet-stream"] + fields).flatMap { ["-H", $0] }
        try await ask("PUT", "/\(Self.bucket)/\(key)", upload + lines)
    }

    /// Keeps all versions of objects from now on.
    package func keepVersions() async throws {
        try await ask(
            "PUT",
            "/\(Self.bucket)?versioning",
            [
                "-H", "Content-Type: application/xml", "-d",
                "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>",
            ]
        )
    }

    /// The version of the newest object of a key.
    package func version(of key: String) async throws -> String {
        let head = try await ask("HEAD", "/\(Self.bucket)/\(key)", ["-I"])
        let line = head.split(whereSeparator: \.isNewline)
            .first { $0.lowercased().hasPrefix("x-amz-version-id:") }
        guard let version = line?.split(separator: " ").last else {
            throw ServerFailure(description: "no version in \(head)")
        }
        return String(version)
    }

    package func remove(_ key: String) async throws {
        try await ask("DELETE", "/\(Self.bucket)/\(key)")
    }

    /// Makes a user who may read objects, and checks the signature of every request from now on.
    package func checkSignatures() async throws -> (keyID: String, secret: String) {
        func iam(_ action: String, _ values: String...) async throws -> String {
            let form = (["Action=\(action)", "Version=2010-05-08"] + values).flatMap {
                ["--data-urlencode", $0]
            }
            return try await ask("POST", "/", form, service: "iam")
        }
        let policy =
            #"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"*"}]}"#
        _ = try await iam("CreateUser", "UserName=reader")
        _ = try await iam(
            "PutUserPolicy",
            "UserName=reader",
            "PolicyName=all",
            "PolicyDocument=\(policy)"
        )
        let answer = try await iam("CreateAccessKey", "UserName=reader")
        let id = try Self.value(of: "AccessKeyId", in: answer)
        let secret = try Self.value(of: "SecretAccessKey", in: answer)
        // It counts the requests that it lets pass from here.
        try await ask(
            "POST",
            "/moto-api/reset-auth",
            ["-H", "Content-Type: text/plain", "-d", "0"],
            service: nil
        )
        return (id, secret)
    }

    @discardableResult
    private func ask(
        _ method: String,
        _ path: String,
        _ more: [String] = [],
        service: String? = "s3"
    ) async throws -> String {
        // Without a service, it takes the request for one about itself.
        let authorization = service.map {
            [
                "-H",
                "Authorization: AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/\($0)/"
                    + "aws4_request, SignedHeaders=host, Signature=test",
            ]
        }
        let run = try await ProcessRunner.run(
            "curl",
            ["-sS", "--fail-with-body", "--noproxy", "*", "-X", method] + (authorization ?? [])
                + more + [endpoint + path]
        )
        guard run.status.isSuccess else {
            throw ServerFailure(description: "\(method) \(path): \(run.output)\(run.errors)")
        }
        return run.output
    }

    private static func value(of name: String, in text: String) throws -> String {
        guard let start = text.firstRange(of: "<\(name)>"),
            let end = text[start.upperBound...].firstRange(of: "</\(name)>")
        else { throw ServerFailure(description: "no \(name) in \(text)") }
        return String(text[start.upperBound..<end.lowerBound])
    }
}
