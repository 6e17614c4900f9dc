import Glibc
import PawlTesting

/// A proxy of docs/reverse-proxy.md: the recipe of the document, filled with the paths of a test.
struct ProxyRecipe: Sendable {
    enum Program: String, Sendable, CaseIterable {
        case nginx, caddy, haproxy
    }

    let server: ServerProgram
    /// The path of the certificate in PEM, which is its own authority.
    let authority: String

    var base: String { "https://localhost:\(server.port)/downloads/" }

    /// Starts a proxy in front of a daemon.
    ///
    /// - Parameters:
    ///   - aria2: The port at which the daemon answers clients of aria2; `nil` if it does not.
    ///   - keepsPath: Whether the proxy keeps the path of its URL, as the recipe does.
    init(
        _ program: Program,
        toPort daemon: Int,
        aria2: Int? = nil,
        keepsPath: Bool = true
    ) async throws {
        let folder = try ScratchFolder()
        guard let certificate = TestCertificate.localhost else {
            throw ServerFailure(description: "no certificate can be made")
        }
        // HAProxy reads both from the first file; the others ignore the key in it.
        try folder.write("host.example.pem", certificate.pem + certificate.keyPEM)
        authority = try folder.write("authority.pem", certificate.pem)
        try folder.write("host.example.key", certificate.keyPEM)
        var recipe = try Self.recipe(program)
            .replacing("/etc/ssl/", with: "\(folder.path)/")
            .replacing("127.0.0.1:6880", with: "127.0.0.1:\(daemon)")
        if let aria2 {
            recipe = try Self.adding(
                try Self.recipe(program, below: "## Clients of aria2"),
                to: recipe
            )
            .replacing("127.0.0.1:6800", with: "127.0.0.1:\(aria2)")
        }
        if !keepsPath {
            recipe = recipe.replacing("location /downloads {", with: "location /downloads/ {")
                .replacing("127.0.0.1:\(daemon);", with: "127.0.0.1:\(daemon)/;")
        }
        let text = recipe
        // Caddy would keep its state in the user's folders.
        let state = Dictionary(
            uniqueKeysWithValues: ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"].map {
                ($0, Optional(folder.path))
            }
        )
        server = try await ServerProgram(
            program.rawValue,
            folder: folder,
            environment: state
        ) { folder, port in
            let file = try folder.write(
                "proxy.conf",
                Self.settings(program, text, port, folder.path)
            )
            return switch program {
            case .nginx: ["-e", "stderr", "-c", file]
            case .caddy: ["run", "--adapter", "caddyfile", "--config", file]
            case .haproxy: ["-db", "-f", file]
            }
        }
    }

    /// The recipe as the document has it below a heading.
    private static func recipe(
        _ program: Program,
        below heading: String = "# Behind a reverse proxy"
    ) throws -> String {
        let document = try Snapshot.text(of: "reverse-proxy.md", folder: "../../docs")
        guard let section = document.firstRange(of: "\(heading)\n"),
            let start = document[section.upperBound...]
                .firstRange(of: "```\(program.rawValue)\n"),
            let end = document[start.upperBound...].firstRange(of: "```\n")
        else { throw ServerFailure(description: "there is no recipe for \(program)") }
        return String(document[start.upperBound..<end.lowerBound])
    }

    /// Adds a part to a recipe: in its last block, or for HAProxy before `use_backend` and at the end.
    private static func adding(_ part: String, to recipe: String) throws -> String {
        if let mark = recipe.firstRange(of: "    use_backend ") {
            guard let empty = part.firstRange(of: "\n\n") else {
                throw ServerFailure(description: "the part has no backend")
            }
            let (before, after) = (recipe[..<mark.lowerBound], recipe[mark.lowerBound...])
            return "\(before)\(part[...empty.lowerBound])\(after)\(part[empty.lowerBound...])"
        }
        guard let end = recipe.lastIndex(of: "}") else {
            throw ServerFailure(description: "the recipe has no block")
        }
        return "\(recipe[..<end])\(part)\(recipe[end...])"
    }

    private static func settings(
        _ program: Program,
        _ recipe: String,
        _ port: UInt16,
        _ folder: String
    ) -> String {
        switch program {
        case .nginx:
            """
            daemon off;
            \(getuid() == 0 ? "user root;" : "")
            pid \(folder)/nginx.pid;
            error_log stderr notice;
            events { }
            http {
                access_log off;
                client_body_temp_path \(folder)/body;
                proxy_temp_path \(folder)/proxy;
                fastcgi_temp_path \(folder)/fastcgi;
                uwsgi_temp_path \(folder)/uwsgi;
                scgi_temp_path \(folder)/scgi;
                \(recipe.replacing("listen 443", with: "listen 127.0.0.1:\(port)"))
            }

            """
        case .caddy:
            """
            {
                admin off
                auto_https off
                default_bind 127.0.0.1
            }
            \(recipe.replacing("host.example {", with: "https://localhost:\(port) {"))
            """
        case .haproxy: recipe.replacing("bind :443", with: "bind 127.0.0.1:\(port)")
        }
    }
}
