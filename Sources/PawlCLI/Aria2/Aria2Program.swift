internal import Glibc
internal import Pawl
internal import PawlCore
internal import PawlWire

/// The program under the name `aria2c`, for programs that start aria2.
enum Aria2Program {
    static let name = "aria2c"

    /// The version of aria2 whose options and RPC this is.
    private static let version = "aria2 version 1.37.0\npawl \(PawlVersion.current)\n"

    private static let help = """
        Usage: aria2c [OPTIONS] [URI]...

        This is Pawl, which understands the usual options of aria2. Options without effect are
        reported. Several URIs are mirrors of one file, unless --force-sequential is given.

          --enable-rpc               Answer clients of aria2 until the process is ended.
          --rpc-listen-port=PORT     The port at 127.0.0.1. Default: 6800.
          --rpc-secret=TOKEN         The secret of the clients, which is required.
          -d, --dir=DIR              The folder of the files.
          -o, --out=FILE             The name of the file.
          -i, --input-file=FILE      Download the URIs in this list.
          -x, -s N                   The number of connections: the smaller one of the two.
          -j N                       The number of simultaneous downloads.
          --rpc-secure               Use TLS, with --rpc-certificate and --rpc-private-key.
          --rpc-certificate=FILE     The certificate in PEM.
          --rpc-private-key=FILE     The key of the certificate in PEM.
          --rpc-listen-all           With --rpc-secure: listen at all addresses.
          --stop-with-process=PID    End when this process has ended.
          --stop=SEC                 End after this many seconds.
          --conf-path=FILE           Read options from this file. --no-conf: from no file.
          -q, --quiet                Print no messages except errors.
          -D, --daemon               Continue in the background.

        docs/aria2.md describes the other options.

        """

    /// Runs the program on the arguments of this process.
    ///
    /// Must be called on the main thread before any other thread is started.
    static func main() -> Never {
        let console = Console()
        do {
            let given = PawlProgram.arguments(hiding: Aria2Arguments.secrets)
            var arguments = try Aria2Arguments(given)
            if arguments["version"] != nil { end(version, console) }
            if arguments["help"] != nil { end(help, console) }
            if let configuration = try Aria2Configuration.read(for: arguments) {
                arguments.precede(with: configuration)
            }
            try arguments.check()
            report(arguments, console)
            if arguments.isOn("enable-rpc") {
                try Aria2Launcher.become(arguments)
            }
            let words = try Aria2GetArguments.make(arguments)
            let conditions = StopCondition.all(
                process: try arguments.stopProcess(),
                seconds: try arguments.stopSeconds()
            )
            try continueInBackground(arguments)
            PawlProgram.run(PawlCommand.self, words, until: conditions)
        } catch {
            console.report(error)
            exit(error.code.exitStatus)
        }
    }

    private static func end(_ text: String, _ console: Console) -> Never {
        console.output(text)
        exit(console.exitStatus(after: 0))
    }

    private static func report(_ arguments: Aria2Arguments, _ console: Console) {
        for name in arguments.unknown {
            console.message("aria2c: --\(name.sanitized(atMost: 40)) has no effect in Pawl")
        }
        if arguments.isOn("rpc-listen-all"), !arguments.isOn("rpc-secure") {
            console.message(
                "aria2c: without --rpc-secure, only programs of this machine can connect, at 127.0.0.1"
            )
        }
    }

    /// Continues in the background if the options ask for that.
    static func continueInBackground(_ arguments: Aria2Arguments) throws(DownloadError) {
        guard arguments.isOn("daemon") else { return }
        // The folder stays, because the arguments may name files in it.
        guard daemon(1, 0) == 0 else {
            throw DownloadError(
                .unknown,
                "aria2c cannot continue in the background: \(String(cString: strerror(errno)))",
                advice: "leave out --daemon"
            )
        }
    }
}
