internal import Glibc
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `aria2c --enable-rpc`: a daemon in the foreground, with a queue of its own.
enum Aria2Launcher {
    private static let port = "6800"

    /// Replaces this process by the daemon's program.
    ///
    /// Throws if that fails.
    static func become(_ arguments: Aria2Arguments) throws(DownloadError) -> Never {
        let launch = try launch(arguments)
        let text = arguments["rpc-listen-port"] ?? port
        guard let port = UInt16(text), port > 0 else {
            throw .usage(
                "--rpc-listen-port: '\(text.sanitized(atMost: 40))' is not a port",
                advice: "give a number from 1 to 65535"
            )
        }
        try moveState(to: "aria2c-\(port)")
        let descriptor = try pipe(with: WireJSON.encode(launch))
        try Aria2Program.continueInBackground(arguments)
        throw try DaemonExecution.failure([
            "--aria2-rpc", "127.0.0.1:\(port)", "--aria2-descriptor", "\(descriptor)",
        ])
    }

    /// The options that are not defaults of other downloads.
    private static let ofOneFile: Set = ["out", "gid", "checksum"]

    private static func launch(_ arguments: Aria2Arguments) throws(DownloadError) -> Aria2Launch {
        guard let secret = arguments["rpc-secret"], !secret.isEmpty,
            !secret.contains(where: \.isWhitespace)
        else {
            throw .usage(
                "--enable-rpc needs --rpc-secret, without spaces: otherwise any web page could use "
                    + "the RPC",
                advice: "add --rpc-secret, and give the secret to the clients"
            )
        }
        let folder = try CurrentFolder.absolute(arguments["dir"] ?? "", option: "--dir")
        // aria2 creates the folder, too. If that fails, the daemon reports that there is none.
        mkdir(folder, 0o777)
        var downloads = arguments.downloads.map { Aria2Launch.Download(uris: $0) }
        if downloads.count == 1 {
            downloads[0].options = arguments.options.filter { ofOneFile.contains($0.name) }
        }
        if let path = arguments["input-file"] {
            let text = try InputFile.text(
                of: path,
                location: "--input-file",
                form: "a list of URIs"
            )
            downloads += Aria2List.downloads(in: text)
        }
        var options = arguments.options.filter { !["dir", "rpc-secret"].contains($0.name) }
        options.append(.init("dir", folder))
        var launch = Aria2Launch(secret: secret, options: options, downloads: downloads)
        launch.stopProcess = try number(arguments, "stop-with-process", in: 1...Int32.max)
        let seconds: Int32? = try number(arguments, "stop", in: 0...Int32.max)
        // As in aria2, 0 means that there is no limit.
        launch.stopSeconds = seconds == 0 ? nil : seconds.map(Int.init)
        return launch
    }

    /// Returns the value of an option; `nil` if it is not given.
    private static func number(
        _ arguments: Aria2Arguments,
        _ option: String,
        in range: ClosedRange<Int32>
    ) throws(DownloadError) -> Int32? {
        guard let text = arguments[option] else { return nil }
        guard let number = Int32(text), range.contains(number) else {
            throw .usage(
                "--\(option): invalid value '\(text.sanitized(atMost: 40))'",
                advice: "give a number from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return number
    }

    /// Makes the daemon use a folder of its own below those of the user's daemon.
    private static func moveState(to name: String) throws(DownloadError) {
        let paths = try DaemonPaths.current()
        setenv("XDG_STATE_HOME", "\(paths.storeFolder)/\(name)", 1)
        if paths.socketFolder != paths.storeFolder {
            setenv("XDG_RUNTIME_DIR", "\(paths.socketFolder)/\(name)", 1)
        }
    }

    /// `F_SETPIPE_SZ` of fcntl(2), which is a macro of the GNU C library.
    private static let setPipeSize: Int32 = 1031
    /// The maximum size of a pipe of a user (pipe(7)).
    private static let mostBytes = 1 << 20

    /// Returns the end of a pipe from which these bytes can be read, even by another program.
    ///
    /// In contrast to an argument or the environment, no other process can see them.
    private static func pipe(with bytes: [UInt8]) throws(DownloadError) -> Int32 {
        var ends: [Int32] = [-1, -1]
        guard bytes.count < mostBytes, Glibc.pipe(&ends) == 0,
            bytes.count < 65_536 || fcntl(ends[1], setPipeSize, Int32(mostBytes)) >= 0,
            write(ends[1], bytes, bytes.count) == bytes.count
        else {
            throw .usage(
                "the list of URIs is too long for one start",
                advice: "add the downloads with aria2.addUri"
            )
        }
        close(ends[1])
        return ends[0]
    }
}
