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
        let tls = try tls(arguments)
        let listensToAll = arguments.isOn("rpc-listen-all") && arguments.isOn("rpc-secure")
        let host = listensToAll ? "0.0.0.0" : "127.0.0.1"
        try moveState(to: "aria2c-\(port)")
        let descriptor = try pipe(with: WireJSON.encode(launch))
        try Aria2Program.continueInBackground(arguments)
        throw try DaemonExecution.failure(
            tls + ["--aria2-rpc", "\(host):\(port)", "--aria2-descriptor", "\(descriptor)"]
        )
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
            let listed = Aria2List.downloads(in: text)
            for download in listed { try Aria2Values.check(download.options) }
            downloads += listed
        }
        var options = arguments.options.filter { !["dir", "rpc-secret"].contains($0.name) }
        options.append(.init("dir", folder))
        var launch = Aria2Launch(secret: secret, options: options, downloads: downloads)
        launch.stopProcess = try arguments.stopProcess()
        launch.stopSeconds = try arguments.stopSeconds()
        return launch
    }

    /// Returns the options of TLS, which the daemon would otherwise remember from an earlier start.
    private static func tls(_ arguments: Aria2Arguments) throws(DownloadError) -> [String] {
        guard arguments.isOn("rpc-secure") else { return ["--tls-cert", "off"] }
        guard let certificate = arguments["rpc-certificate"], !certificate.isEmpty else {
            throw .usage(
                "--rpc-secure needs --rpc-certificate",
                advice:
                    "give a file in PEM with the certificate, and its key with --rpc-private-key"
            )
        }
        let path = certificate.lowercased()
        guard !path.hasSuffix(".p12"), !path.hasSuffix(".pfx") else {
            throw .usage(
                "--rpc-certificate: Pawl does not read PKCS#12",
                advice: "convert the file to PEM: openssl pkcs12 -nodes -in FILE -out NEWFILE"
            )
        }
        var options = [
            "--tls-cert", try CurrentFolder.absolute(certificate, option: "--rpc-certificate"),
        ]
        if let key = arguments["rpc-private-key"], !key.isEmpty {
            options += ["--tls-key", try CurrentFolder.absolute(key, option: "--rpc-private-key")]
        }
        return options
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
