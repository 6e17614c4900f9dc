import PawlTesting

/// Proxies of Debian.
enum ProxyServers {
    /// Starts an HTTP proxy, which logs each request to its output.
    static func http(login: String? = nil) async throws -> ServerProgram {
        try await ServerProgram("tinyproxy") { folder, port in
            let settings = """
                Port \(port)
                Listen 127.0.0.1
                Timeout 60
                MaxClients 50
                LogLevel Connect
                \(login.map { "BasicAuth \($0)" } ?? "")

                """
            return ["-d", "-c", try folder.write("tinyproxy.conf", settings)]
        }
    }

    /// Starts a SOCKS 5 proxy, which logs each connection to its error stream.
    static func socks5(login: (name: String, password: String)? = nil) async throws -> ServerProgram
    {
        try await ServerProgram("microsocks") { _, port in
            let login = login.map { ["-u", $0.name, "-P", $0.password] } ?? []
            return ["-i", "127.0.0.1", "-p", "\(port)"] + login
        }
    }

    /// Starts a proxy for SOCKS 4 and 5, which logs each connection to its error stream.
    static func socks4() async throws -> ServerProgram {
        try await ServerProgram("danted") { folder, port in
            let settings = """
                logoutput: stderr
                internal: 127.0.0.1 port = \(port)
                external: lo
                clientmethod: none
                socksmethod: none
                client pass { from: 0.0.0.0/0 to: 0.0.0.0/0 }
                socks pass { from: 0.0.0.0/0 to: 0.0.0.0/0 log: connect }

                """
            return ["-f", try folder.write("danted.conf", settings)]
        }
    }
}
