internal import Glibc
internal import PawlCore

/// The folder of the user's systemd units.
struct UnitFolder {
    let path: String

    /// The file with a unit's name.
    private enum Entry: Hashable {
        case none
        case own(text: String)
        /// A file that Pawl did not write, or a link, which `systemctl mask` creates.
        case foreign
    }

    func path(of unit: String) -> String { "\(path)/\(unit)" }

    private func entry(_ unit: String) -> Entry {
        var status = stat()
        guard lstat(path(of: unit), &status) == 0 else { return errno == ENOENT ? .none : .foreign }
        guard status.st_mode & S_IFMT == S_IFREG, let text = UserFile(path: path(of: unit)).text
        else { return .foreign }
        return text.hasPrefix(ServiceUnits.mark) ? .own(text: text) : .foreign
    }

    /// Throws `.fileExists` if one of the units was not written by Pawl.
    func checkNoForeignUnits() throws(DownloadError) {
        for unit in [ServiceUnits.socketName, ServiceUnits.serviceName]
        where entry(unit) == .foreign {
            throw DownloadError(
                .fileExists,
                "\(path(of: unit)) exists and was not written by 'pawl daemon install'",
                advice: "rename it first, or manage the service without 'pawl daemon install'"
            )
        }
    }

    /// Whether at least one of the units exists.
    var hasUnits: Bool {
        [ServiceUnits.socketName, ServiceUnits.serviceName].contains { entry($0) != .none }
    }

    /// Whether both units exist with exactly this text.
    func holds(_ units: ServiceUnits) -> Bool {
        entry(ServiceUnits.socketName) == .own(text: units.socket)
            && entry(ServiceUnits.serviceName) == .own(text: units.service)
    }

    func write(_ units: ServiceUnits) throws(DownloadError) {
        let (socket, service) = (ServiceUnits.socketName, ServiceUnits.serviceName)
        try UserFile(path: path(of: socket)).write(units.socket, mode: 0o644)
        try UserFile(path: path(of: service)).write(units.service, mode: 0o644)
    }

    /// Removes both units and the links that enable them.
    func removeUnits() throws(DownloadError) {
        let (socket, service) = (ServiceUnits.socketName, ServiceUnits.serviceName)
        for link in ["sockets.target.wants/\(socket)", "default.target.wants/\(service)"] {
            var status = stat()
            let path = path(of: link)
            if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK { unlink(path) }
        }
        for unit in [socket, service] { _ = try UserFile(path: path(of: unit)).remove() }
    }
}
