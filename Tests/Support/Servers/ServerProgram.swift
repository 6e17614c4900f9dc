import Glibc

/// A server program of the system, on a free port of 127.0.0.1, with a folder of its own.
///
/// It stops when the object is released.
package final class ServerProgram: Sendable {
    package let port: UInt16
    package let folder: ScratchFolder
    private let process: ProcessRunner

    private static let attempts = 5

    /// Starts the program, as `scripts/setup --tests` installs it.
    ///
    /// - Parameters:
    ///   - ready: A text that the program writes when it serves; with `nil`, it serves when it
    ///     accepts connections.
    ///   - folder: The folder of its files; by default a new one.
    ///   - environment: Changes to its environment.
    ///   - timeLimit: The time after which it is killed.
    ///   - arguments: Writes the program's files, and returns its arguments.
    package init(
        _ program: String,
        ready: String? = nil,
        folder: ScratchFolder? = nil,
        environment: [String: String?] = [:],
        timeLimit: Duration = ProcessSettings.usualLimit,
        _ arguments: (ScratchFolder, UInt16) throws -> [String]
    ) async throws {
        self.folder = try folder ?? ScratchFolder()
        var reason = ""
        for _ in 0..<Self.attempts {
            let port = try UnusedPort.find()
            let process = try ProcessRunner(
                Self.path(of: program),
                try arguments(self.folder, port),
                ProcessSettings(environment: environment, timeLimit: timeLimit)
            )
            let isReady =
                if let ready {
                    await process.waitForOutput(containing: ready)
                } else {
                    await Self.accepts(port, process)
                }
            // Another program may have taken the port in the meantime.
            guard isReady else {
                reason = process.errors + process.output
                continue
            }
            self.port = port
            self.process = process
            return
        }
        throw ServerFailure(description: "\(program) does not start: \(reason)")
    }

    deinit { process.signal(SIGTERM) }

    package var identifier: Int32 { process.identifier }

    /// What the program has written to its output and its error stream.
    package var log: String { process.output + process.errors }

    /// Waits until the program has written a text.
    package func waitForLog(containing text: String) async {
        await process.waitForOutput(containing: text)
    }

    /// Sends a signal, and waits until the program has ended.
    package func stop(_ signal: Int32) async {
        process.signal(signal)
        await process.waitForExit()
    }

    /// Returns the path of a program that may be outside a user's PATH.
    private static func path(of program: String) -> String {
        let path = "/usr/sbin/" + program
        return access(path, X_OK) == 0 ? path : program
    }

    /// Waits until a connection is accepted; returns `false` if the program ends first.
    private static func accepts(_ port: UInt16, _ process: ProcessRunner) async -> Bool {
        while process.status == nil, !Task.isCancelled {
            if connects(to: port) { return process.status == nil }
            await Task.yield()
        }
        return false
    }

    private static func connects(to port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { Glibc.close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, size) == 0
            }
        }
    }
}

/// The failure of a server to start.
package struct ServerFailure: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}
