internal import Glibc

/// nginx from the distribution with the benchmark's settings.
final class Nginx {
    let settings: NginxSettings
    private let child: ChildProcess

    /// Starts nginx and waits until it listens.
    ///
    /// It runs until the workshop ends or `stop` is called.
    init(_ settings: NginxSettings, in workshop: Workshop) throws {
        self.settings = settings
        let folder = workshop.root + "/nginx-\(settings.plainPort)"
        try Files.makeFolder(folder)
        let path = folder + "/nginx.conf"
        let text = settings.configuration(folder: folder, contents: workshop.contents)
        try Files.write(text, to: path)
        let entering = settings.network.map { ["ip", "netns", "exec", $0] } ?? []
        let log = folder + "/output.log"
        child = try ChildProcess(
            entering + [workshop.settings.launcher, "serve", "nginx", "-p", folder, "-c", path],
            environment: workshop.environment,
            log: log
        )
        let child = child
        workshop.atEnd { child.end() }
        // nginx writes its process ID when its sockets listen.
        let limit = Moment.now.advanced(bySeconds: 20)
        while !Files.exists(folder + "/nginx.pid") {
            guard Moment.now < limit, try child.wait(until: .now.advanced(bySeconds: 0.01)) == nil
            else { throw BenchError("nginx: \(Files.lastLine(of: (try? Files.text(log)) ?? ""))") }
        }
    }

    func stop() { child.end() }

    /// Returns a URL.
    ///
    /// Hosts are counted from 1.
    func url(_ name: String, host: Int = 1) -> String {
        "http://\(settings.addresses[host - 1]):\(settings.plainPort)/\(name)"
    }

    /// Returns a URL over TLS, if the settings enable it.
    func secureURL(_ name: String, http2: Bool = false) throws -> String {
        guard let secure = settings.secure else { throw BenchError("nginx has no TLS settings") }
        return "https://localhost:\(http2 ? secure.http2Port : secure.port)/\(name)"
    }
}
