internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl daemon allow`: what downloads that were added over TCP may access.
struct DaemonAllowCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "allow",
        abstract: "Show or change the folders and addresses that downloads added over TCP may use.",
        discussion: """
            Such downloads are saved only in the allowed folders and their subfolders, and connect \
            only to the public Internet unless private addresses are allowed. A change takes \
            effect for each download when it next starts. The daemon remembers the change. \
            Downloads added with pawl are not restricted.
            """
    )

    @Option(daemonSetting: "folder") var folder: [String] = []
    @Option(daemonSetting: "private-addresses") var privateAddresses: String?

    @Flag(help: "Restore the defaults before applying the other options.")
    var reset = false

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let change = try change()
        // The daemon refuses such a change over TCP.
        if !change.isEmpty {
            try ChosenDaemon.checkIsOfThisMachine("pawl daemon allow")
        }
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
                guard option.name == "folder", !ObjectAddress.isOne(option.value) else {
                    return option
                }
                var option = option
                option.value = try CurrentFolder.absolute(option.value, option: "--folder")
                return option
            }
        )
        return change
    }
}
