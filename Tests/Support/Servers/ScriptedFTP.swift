import Glibc
import Synchronization

/// An FTP server whose answers a test chooses, including answers that no correct server gives.
package final class ScriptedFTP: Sendable {
    /// What it reports about its only file, and what it sends.
    package struct Script: Sendable {
        package var size = "213 0"
        package var modified = "213 20240506070809"
        package var body: [UInt8] = []
        /// Whether `REST` has an effect.
        package var restarts = true
        /// The number of bytes after which the data connection is cut; `nil` sends all.
        package var cutAfter: Int?
        /// The reply to the password.
        package var login = "230 welcome"
        /// The number of ports for data that refuse connections.
        package var refusedPorts = 0

        package init(_ body: [UInt8]) {
            self.body = body
            size = "213 \(body.count)"
        }
    }

    private let listener: OriginSocket
    private let script: Mutex<Script>
    private let connections = Atomic<Int>(0)
    /// Changes the script before the connection of a number, from 1.
    private let change: @Sendable (inout Script, Int) -> Void

    package init(
        _ script: Script,
        change: @escaping @Sendable (inout Script, Int) -> Void = { _, _ in }
    ) throws {
        listener = try OriginSocket(port: 0, onAllAddresses: false)
        self.script = Mutex(script)
        self.change = change
        let listener = listener
        try BlockingThread.start { [weak self] in
            while let socket = listener.accept() {
                guard let self else { break }
                let number = self.connections.add(1, ordering: .relaxed).newValue
                try? BlockingThread.start { [weak self] in self?.serve(socket, number) }
            }
            close(listener.descriptor)
        }
    }

    deinit { shutdown(listener.descriptor, Int32(SHUT_RDWR)) }

    package func url(_ name: String = "disk.iso") -> String {
        "ftp://127.0.0.1:\(listener.port)/\(name)"
    }

    private func serve(_ socket: Int32, _ number: Int) {
        defer { close(socket) }
        let script = script.withLock { script in
            change(&script, number)
            return script
        }
        var data: OriginSocket?
        var offset = 0
        Self.say("220 ready", to: socket)
        while let line = Self.line(of: socket) {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            switch words.first?.uppercased() {
            case "USER": Self.say("331 password", to: socket)
            case "PASS": Self.say(script.login, to: socket)
            case "PWD": Self.say("257 \"/\"", to: socket)
            case "TYPE", "CWD": Self.say("200 done", to: socket)
            case "MDTM": Self.say(script.modified, to: socket)
            case "SIZE": Self.say(script.size, to: socket)
            case "REST":
                offset = script.restarts ? Int(words.last ?? "") ?? 0 : 0
                Self.say("350 restarting", to: socket)
            case "EPSV", "PASV":
                data = try? OriginSocket(port: 0, onAllAddresses: false)
                let port = data?.port ?? 0
                let reply =
                    line.hasPrefix("EPSV")
                    ? "229 passive (|||\(port)|)"
                    : "227 passive (127,0,0,1,\(port / 256),\(port % 256))"
                Self.say(reply, to: socket)
                let isRefused = self.script.withLock { script in
                    script.refusedPorts -= 1
                    return script.refusedPorts >= 0
                }
                guard isRefused, let refused = data else { continue }
                close(refused.descriptor)
                data = nil
            case "RETR":
                Self.say("150 sending", to: socket)
                if let data, let sink = data.accept() {
                    let rest = script.body.dropFirst(offset).prefix(script.cutAfter ?? .max)
                    Self.send(Array(rest), to: sink)
                    close(sink)
                    close(data.descriptor)
                }
                data = nil
                Self.say("226 complete", to: socket)
            case "QUIT": return
            default: Self.say("502 not known", to: socket)
            }
        }
    }

    private static func say(_ text: String, to socket: Int32) {
        send(Array((text + "\r\n").utf8), to: socket)
    }

    private static func send(_ bytes: [UInt8], to socket: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(socket, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    private static func line(of socket: Int32) -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(socket, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") {
                if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
                return String(decoding: bytes, as: UTF8.self)
            }
            bytes.append(byte)
        }
        return nil
    }
}
