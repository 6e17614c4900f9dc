package import PawlCore
package import SystemPackage

/// Converts the system's error numbers to errors for people.
///
/// This is the only code that does.
extension DownloadError {
    package init(_ errno: Errno, while action: DiskAction, _ path: FilePath) {
        if errno == .noSpace || errno == .diskQuotaExceeded {
            let isQuota = errno == .diskQuotaExceeded
            self =
                isQuota || FileSystemSpace(of: path)?.hasInodes != false
                ? .diskFull(missing: nil, quota: isQuota, action, path) : .noInodes(action, path)
            return
        }
        let code = Self.code(errno, action)
        self.init(
            code,
            Self.message(errno, action, path),
            advice: Self.advice(errno, action, code),
            context: action.text(path),
            retryClass: Self.retryClass(errno)
        )
        cause = errno
    }

    /// Creates the error of a full disk.
    ///
    /// `missing` is the number of bytes for which there is no space; `nil` if it is not known.
    /// `announced` is the file's size according to the server, which may be any number.
    package static func diskFull(
        missing: Int64?,
        announced: Int64? = nil,
        quota: Bool = false,
        _ action: DiskAction,
        _ path: FilePath
    ) -> DownloadError {
        let folder = action.folder(of: path)
        let amount = missing.map { "\($0) bytes of space are missing" } ?? "no space is left"
        let reason = quota ? "the quota is used up" : "the disk is full"
        return DownloadError(
            .diskFull,
            announced.map { "\(amount) in \(folder) for a file of \($0) bytes" }
                ?? "\(reason): \(amount) in \(folder)",
            advice: roomAdvice,
            context: action.text(path)
        )
    }

    /// Creates the error of a file system that has space, but can hold no more files.
    private static func noInodes(_ action: DiskAction, _ path: FilePath) -> DownloadError {
        DownloadError(
            .diskFull,
            "the file system of \(action.folder(of: path)) has no inodes left for more files",
            advice: "remove files that are not needed, then \(.runAgain)",
            context: action.text(path)
        )
    }

    /// The advice for a full disk.
    ///
    /// The caller adds whether the received bytes are kept.
    private static let roomAdvice: Advice = "free some space, then \(.runAgain)"

    private static let otherLocationAdvice: Advice = "choose \(.otherLocation)"

    private static func code(_ errno: Errno, _ action: DiskAction) -> ErrorCode {
        switch action {
        case .prepareFolder, .watch: .directoryNotUsable
        case .rename, .giveName:
            errno == .fileExists ? .fileExists : nameCode(errno) ?? .renameFailed
        case .create, .createPartial, .lock: folderCode(errno) ?? .fileNotCreatable
        case .open: nameCode(errno) ?? .fileNotCreatable
        case .inspect: .fileUnreadable
        case .reserve, .write: errno == .fileTooLarge ? .fileNotCreatable : .diskFailure
        case .read, .sync, .truncate, .remove: .diskFailure
        }
    }

    private static func nameCode(_ errno: Errno) -> ErrorCode? {
        errno == .fileNameTooLong || errno == .isDirectory ? .fileNotCreatable : nil
    }

    private static func folderCode(_ errno: Errno) -> ErrorCode? {
        errno == .noSuchFileOrDirectory || errno == .notDirectory ? .directoryNotUsable : nil
    }

    private static func message(_ errno: Errno, _ action: DiskAction, _ path: FilePath) -> String {
        let name = action.subject(path)
        return switch errno {
        case .permissionDenied, .notPermitted: "no permission for \(name)"
        case .readOnlyFileSystem: "the file system of \(name) is read-only"
        case .fileNameTooLong: "the name \(name) is too long for the file system"
        case .isDirectory: "\(name) is a directory"
        case .notDirectory: "a part of the path of \(name) is not a directory"
        case .noSuchFileOrDirectory: "\(name) or its folder does not exist"
        case .fileExists: "\(name) already exists"
        case .fileTooLarge:
            "\(name) is larger than the file system, or the limit of the process, allows"
        case .tooManySymbolicLinkLevels: "\(name) is a symbolic link or part of a loop of links"
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem: "too many files are open"
        case .notSupported: "the file system of \(name) does not support the operation"
        case .ioError: "the disk reports an input/output error for \(name)"
        default: "\(errno.description) for \(name)"
        }
    }

    private static func advice(
        _ errno: Errno,
        _ action: DiskAction,
        _ code: ErrorCode
    ) -> Advice {
        switch errno {
        case .permissionDenied where action == .remove, .notPermitted where action == .remove,
            .readOnlyFileSystem where action == .remove:
            "make the folder writable, then remove the file again"
        case .permissionDenied, .notPermitted, .readOnlyFileSystem:
            // A file to be renamed is complete; in another folder it would be fetched again.
            code == .renameFailed
                ? "make the folder writable, then \(.runAgain)"
                : otherLocationAdvice
        case .notDirectory, .isDirectory, .noSuchFileOrDirectory: otherLocationAdvice
        case .fileNameTooLong: "choose \(.shorterName)"
        // Only downloads have a setting for this.
        case .fileExists where action == .giveName: "use another name, or replace the file"
        case .fileExists: "choose \(.otherName), or \(set: .ifExists, to: "rename")"
        case .fileTooLarge: "raise the limit with ulimit -f, or choose \(.otherFileSystem)"
        case .notSupported: "choose \(.otherFileSystem)"
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
            "raise the limit with ulimit -n, or run fewer downloads at the same time"
        case .ioError: "check the disk's health, then \(.runAgain)"
        default:
            code == .diskFailure || code == .renameFailed ? "\(.runAgain)" : ""
        }
    }

    private static func retryClass(_ errno: Errno) -> RetryClass? {
        switch errno {
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory: .later
        case .fileTooLarge, .permissionDenied, .notPermitted, .readOnlyFileSystem: .never
        default: nil
        }
    }
}

/// Runs system calls; adds to their error what was being done.
@discardableResult
package func attempt<T>(
    _ action: DiskAction,
    _ path: @autoclosure () -> FilePath,
    _ body: () throws(Errno) -> T
) throws(DownloadError) -> T {
    do { return try body() } catch { throw DownloadError(error, while: action, path()) }
}

/// Evaluates an expression with a system call; adds to its error what was being done.
@discardableResult
package func attempt<T>(
    _ action: DiskAction,
    _ path: @autoclosure () -> FilePath,
    _ value: @autoclosure () throws(Errno) -> T
) throws(DownloadError) -> T {
    do { return try value() } catch { throw DownloadError(error, while: action, path()) }
}
