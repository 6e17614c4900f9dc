internal import FoundationEssentials
internal import Glibc
internal import Logging
internal import PawlCore

/// What tells the daemons of a fleet apart.
enum MachineIdentity {
    /// The name of the host.
    static var hostName: String {
        var characters = [CChar](repeating: 0, count: 256)
        let status = gethostname(&characters, characters.count - 1)
        let bytes = characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let name = status == 0 ? String(decoding: bytes, as: UTF8.self) : ""
        return name.isEmpty ? "localhost" : name.sanitized
    }

    private static let nameFile = "node"

    /// Returns the last name of the daemon of a folder, which it keeps: downloads into files belong
    /// to a name; `nil` if it had none.
    static func storedName(in folder: String) -> String? {
        let bytes = FileManager.default.contents(atPath: folder.asFolderPath + nameFile)
        let name = bytes.map { String(decoding: $0, as: UTF8.self).filter { $0 != "\n" } }
        return name.flatMap { $0.isEmpty || $0.holdsUnsafeToShow ? nil : $0 }
    }

    static func store(_ name: String, in folder: String, _ logger: Logger) {
        do throws(DownloadError) {
            try StoreFiles.replace(folder.asFolderPath + nameFile, with: name + "\n")
        } catch {
            logger.warning("the name of this node was not stored: \(error)")
        }
    }

    /// Returns what identifies this machine and the folder of a daemon, which only one daemon uses at
    /// a time.
    static func text(folder: String) -> String {
        // The second one lasts until the next start of the machine.
        let files = ["/etc/machine-id", "/proc/sys/kernel/random/boot_id"]
        let texts = files.lazy.compactMap { FileManager.default.contents(atPath: $0) }
            .map { String(decoding: $0, as: UTF8.self).filter { $0 != "\n" } }
        return "\(texts.first { !$0.isEmpty } ?? "") \(hostName) \(folder)"
    }
}
