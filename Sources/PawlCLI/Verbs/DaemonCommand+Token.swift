internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

extension DaemonCommand {
    /// `pawl daemon token`: what a program or a browser needs to use the daemon over TCP.
    struct Token: PawlVerb {
        static let configuration = CommandConfiguration(
            commandName: "token",
            abstract: "Show what a program needs to use the daemon over TCP.",
            discussion: """
                Who has the token may add downloads and end them. It stays the same until --new, \
                and is in no log. --url is for a browser: a link that logs it in, once, within ten \
                minutes.
                """
        )

        @Flag(help: "Make a new one; programs and browsers with the old one are out.")
        var new = false

        @Flag(help: "Show a link to log a browser in, in place of the token.")
        var url = false

        func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
            let (makesNew, showsURL) = (new, url)
            return try daemonWork(console) { (client) async throws(DownloadError) in
                try client.places.prepare()
                let file = AccessTokenFile(client.places)
                let keys = makesNew ? try file.renew() : try file.keys()
                guard showsURL else {
                    console.output(keys.token + "\n")
                    return 0
                }
                try client.checkRuns()
                console.output(try await client.loginCode().url + "\n")
                return 0
            }
        }
    }
}
