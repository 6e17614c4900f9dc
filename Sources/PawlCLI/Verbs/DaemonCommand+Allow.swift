internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

extension DaemonCommand {
    /// `pawl daemon allow`: what programs and pages may do over TCP.
    struct Allow: PawlVerb {
        static let configuration = CommandConfiguration(
            commandName: "allow",
            abstract: "Show or change what downloads that are added over TCP may do.",
            discussion: """
                They go to these folders and what lies in them, and to the public Internet alone. It \
                holds from their next start on, and after the daemon's. What pawl itself adds goes \
                where you say.
                """
        )

        @Option(daemonSetting: "folder") var folder: [String] = []
        @Option(daemonSetting: "private-addresses") var privateAddresses: String?

        @Flag(help: "Put the defaults back first.")
        var reset = false

        func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
            let change = try change()
            return try daemonWork(console) { (client) async throws(DownloadError) in
                let settings =
                    change.isEmpty ? try await client.settings() : try await client.change(change)
                for folder in settings.allowedFolders ?? [] {
                    console.output("folder             \(folder.sanitized)\n")
                }
                let allows = settings.allowsPrivateAddresses
                console.output("private addresses  \(allows ? "yes" : "no")\n")
                return 0
            }
        }

        private func change() throws(DownloadError) -> DaemonSettingsChange {
            var change = DaemonSettingsChange()
            if reset {
                change[member: "allowedFolders"] = .null
                change[member: "allowsPrivateAddresses"] = .null
            }
            try change.take(
                OptionAssignment.all(in: self).map { (option) throws(DownloadError) in
                    guard option.name == "folder" else { return option }
                    var option = option
                    option.value = try CurrentFolder().absolute(option.value)
                    return option
                }
            )
            return change
        }
    }
}
