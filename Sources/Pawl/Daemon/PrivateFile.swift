internal import Glibc
package import PawlCore
internal import PawlStorage
internal import SystemPackage

/// A small file that only the user can access and that is replaced as a whole.
package struct PrivateFile: Sendable {
    package let path: String
    /// The name of its content for errors: `the daemon's token`.
    private let what: String
    private let advice: Advice

    private static let mostBytes = 64 << 10

    package init(path: String, what: String, advice: Advice) {
        (self.path, self.what, self.advice) = (path, what, advice)
    }

    /// The stamp of the file; `nil` if there is none.
    package var stamp: ChangeStamp? {
        // A file whose status cannot be read is not read either.
        (try? FilePath(path).status()).map { ChangeStamp($0) }
    }

    /// Returns its text; `nil` if there is no file.
    ///
    /// Throws `.fileUnreadable` if others may read the file or it belongs to another user.
    package func read() throws(DownloadError) -> String? {
        try bytes(atMost: Self.mostBytes).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns its bytes; `nil` if there is no file.
    ///
    /// Throws as `read` does.
    func bytes(atMost limit: Int) throws(DownloadError) -> [UInt8]? {
        let file: OpenFile
        let status: FileStatus
        do throws(Errno) {
            file = try OpenFile(FilePath(path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            status = try file.status()
        } catch .noSuchFileOrDirectory {
            return nil
        } catch {
            throw failure("\(error)", "opening")
        }
        guard status.isRegular, status.belongsToUser, status.permissions & 0o077 == 0 else {
            throw failure("other users may read it, or it belongs to another user", "opening")
        }
        do throws(Errno) {
            return try file.contents(limit: limit)
        } catch {
            throw failure("\(error)", "reading")
        }
    }

    /// The action if the name is taken.
    package enum Taken: Sendable {
        case keep, replace
    }

    /// Writes the file.
    ///
    /// Either the complete file gets the name, and keeps it after a power cut, or none does. If it
    /// need not survive a power cut, that is faster, and the file may be damaged after one.
    package func write(
        _ text: String,
        _ taken: Taken,
        survivesPowerCut: Bool = true
    ) throws(DownloadError) {
        try write(Array(text.utf8), taken, survivesPowerCut: survivesPowerCut)
    }

    /// Writes the file, as `write` of a text does.
    package func write(
        _ bytes: [UInt8],
        _ taken: Taken,
        survivesPowerCut: Bool = true
    ) throws(DownloadError) {
        let temporary = "\(path).\(getpid())"
        unlink(temporary)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = open(temporary, flags, 0o600)
        guard file >= 0 else { throw unwritable(.fileNotCreatable) }
        defer {
            close(file)
            unlink(temporary)
        }
        let hasName: () -> Bool = {
            switch taken {
            case .keep: link(temporary, path) == 0 || errno == EEXIST
            case .replace: rename(temporary, path) == 0
            }
        }
        guard Glibc.write(file, bytes, bytes.count) == bytes.count,
            !survivesPowerCut || fsync(file) == 0, hasName()
        else { throw unwritable(.diskFailure) }
        guard survivesPowerCut else { return }
        do throws(Errno) {
            try FilePath(path).folder.syncFolder()
        } catch {
            throw failure("\(error)", "writing")
        }
    }

    /// Runs `body` while no other process does so with a file in that folder.
    ///
    /// If another process does, it waits, or throws if `waits` is `false`.
    package func exclusively<Value>(
        waits: Bool = true,
        _ body: () throws(DownloadError) -> Value
    ) throws(DownloadError) -> Value {
        let locked: OpenFile
        do throws(Errno) {
            locked = try OpenFile(FilePath(folder), O_RDONLY | O_DIRECTORY)
            try locked.lock(waits: waits)
        } catch {
            throw failure("\(error)", "locking")
        }
        defer { locked.unlock() }
        return try body()
    }

    /// Returns the error of the last system call; `code` is for all errors but that of a full disk.
    private func unwritable(_ code: ErrorCode) -> DownloadError {
        let number = errno
        let isFull = number == ENOSPC || number == EDQUOT
        return failure(String(cString: strerror(number)), "writing", isFull ? .diskFull : code)
    }

    package func failure(
        _ reason: String,
        _ deed: String,
        _ code: ErrorCode = .fileUnreadable
    ) -> DownloadError {
        DownloadError(
            code,
            "\(what) cannot be used: \(reason)",
            advice: advice,
            context: "\(deed) \(path)"
        )
    }

    private var folder: String { path.pathFolder.isEmpty ? "." : path.pathFolder }

    /// Syncs the folder of a file as far as possible, so that a name that was created or changed in
    /// it survives a power cut.
    ///
    /// Errors are ignored: a power cut at this moment has the effect of one a moment earlier.
    package static func syncFolder(of path: String) { try? FilePath(path).folder.syncFolder() }
}
