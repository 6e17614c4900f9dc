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
        guard status.st_mode & S_IFMT == S_IFREG, let text = text(path(of: unit)) else {
            return .foreign
        }
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
        try makeFolder()
        try write(units.socket, to: ServiceUnits.socketName)
        try write(units.service, to: ServiceUnits.serviceName)
    }

    /// Removes both units and the links that enable them.
    func removeUnits() throws(DownloadError) {
        let (socket, service) = (ServiceUnits.socketName, ServiceUnits.serviceName)
        for link in ["sockets.target.wants/\(socket)", "default.target.wants/\(service)"] {
            var status = stat()
            let path = path(of: link)
            if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK { unlink(path) }
        }
        for unit in [socket, service] where unlink(path(of: unit)) != 0 && errno != ENOENT {
            throw failure(.fileNotCreatable, "cannot be removed", path(of: unit))
        }
    }

    // MARK: - Files

    private func makeFolder() throws(DownloadError) {
        var folder = ""
        for part in path.pathNames {
            folder += "/\(part)"
            guard mkdir(folder, 0o755) == 0 || errno == EEXIST || errno == EROFS else {
                throw failure(.directoryNotUsable, "cannot be created", folder)
            }
        }
    }

    /// Writes under another name first, so that systemd never sees an incomplete unit.
    private func write(_ text: String, to unit: String) throws(DownloadError) {
        let (new, path) = (self.path(of: ".\(unit).new"), self.path(of: unit))
        unlink(new)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
        let file = open(new, flags, 0o644)
        guard file >= 0 else { throw failure(.fileNotCreatable, "cannot be created", new) }
        let bytes = Array(text.utf8)
        let isWritten = Glibc.write(file, bytes, bytes.count) == bytes.count
        guard close(file) == 0, isWritten, rename(new, path) == 0 else {
            let error = failure(.fileNotCreatable, "cannot be written", path)
            unlink(new)
            throw error
        }
    }

    /// The beginning of a file.
    ///
    /// Pawl's own units are shorter.
    private func text(_ path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(validating: bytes.prefix(count), as: UTF8.self)
    }

    private func failure(_ code: ErrorCode, _ what: String, _ path: String) -> DownloadError {
        let reason = String(cString: strerror(errno))
        return DownloadError(
            code,
            "\(path) \(what): \(reason)",
            advice: "check the permissions of the folder"
        )
    }
}
