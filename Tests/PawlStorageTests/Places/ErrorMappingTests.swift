import Glibc
import PawlCore
import PawlStorage
import PawlTesting
import SystemPackage
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ErrorMappingTests {
    @Test(arguments: [
        (Errno.permissionDenied, DiskAction.create, ErrorCode.fileNotCreatable),
        (.readOnlyFileSystem, .create, .fileNotCreatable),
        (.fileNameTooLong, .create, .fileNotCreatable),
        (.isDirectory, .create, .fileNotCreatable),
        (.noSuchFileOrDirectory, .create, .directoryNotUsable),
        (.notDirectory, .create, .directoryNotUsable),
        (.permissionDenied, .prepareFolder, .directoryNotUsable),
        (.noSpace, .write, .diskFull),
        (.noSpace, .create, .diskFull),
        (.diskQuotaExceeded, .sync, .diskFull),
        (.ioError, .sync, .diskFailure),
        (.ioError, .write, .diskFailure),
        (.fileTooLarge, .write, .fileNotCreatable),
        (.fileExists, .rename, .fileExists),
        (.permissionDenied, .rename, .renameFailed),
        (.permissionDenied, .inspect, .fileUnreadable),
    ])
    func `each error number has its code and names the failed operation`(
        errno: Errno,
        action: DiskAction,
        code: ErrorCode
    ) {
        let error = DownloadError(errno, while: action, "/srv/disk.iso.part")
        #expect(error.code == code)
        #expect(error.context?.contains("/srv/disk.iso.part") == true)
        #expect(!error.message.isEmpty)
    }

    @Test func `an error for a partial file without a name names its folder`() {
        let error = DownloadError(.permissionDenied, while: .createPartial, "/srv/files")
        #expect(error.code == .fileNotCreatable)
        #expect(error.message == "no permission for /srv/files")
        #expect(error.context == "creating a partial file in /srv/files")
        let full = DownloadError(.noSpace, while: .createPartial, "/srv/files")
        #expect(full.message.hasSuffix("in /srv/files"))
    }

    @Test func `an error for the current folder does not call it a dot`() {
        let error = DownloadError(.permissionDenied, while: .prepareFolder, ".")
        #expect(error.message == "no permission for the current folder")
    }

    @Test(.enabled(if: MemoryDisk.isAvailable))
    func `a file system without inodes is told from one without space`() throws {
        // The folder itself needs an inode.
        let disk = try #require(try MemoryDisk(bytes: 1 << 20, inodes: 2))
        func create(_ name: String) throws(DownloadError) {
            let path = FilePath(disk.path).appending(name)
            _ = try attempt(.create, path, OpenFile(path, O_WRONLY | O_CREAT))
        }
        try create("first")
        let error = failure { try create("second") }
        #expect(error?.code == .diskFull)
        #expect(
            error?.message == "the file system of \(disk.path) has no inodes left for more files"
        )
    }

    @Test func `a full-disk error states the missing bytes and the folder`() {
        let error = DownloadError.diskFull(missing: 1_234, .write, "/srv/disk.iso.part")
        #expect(error.message == "the disk is full: 1234 bytes of space are missing in /srv")
    }

    @Test(arguments: [Errno.permissionDenied, .notPermitted, .readOnlyFileSystem])
    func `a complete file that may not be renamed is not fetched again elsewhere`(errno: Errno) {
        let rename = DownloadError(errno, while: .rename, "/srv/disk.iso")
        #expect(rename.code == .renameFailed)
        #expect(rename.advice == "make the folder writable, then start the download again")
        let create = DownloadError(errno, while: .create, "/srv/disk.iso.part")
        #expect(create.advice == "choose another destination")
    }

    @Test(arguments: [DiskAction.create, .rename, .write, .sync, .remove])
    func `an operation that the file system does not support has advice`(action: DiskAction) {
        let error = DownloadError(.notSupported, while: action, "/srv/disk.iso")
        #expect(error.message.contains("does not support"))
        #expect(error.advice.contains("another file system"))
    }

    @Test(arguments: [
        DiskAction.create, .createPartial, .open, .lock, .write, .sync, .rename, .giveName,
        .prepareFolder,
    ])
    func `no advice of the library names an option`(action: DiskAction) {
        for number in Int32(1)...133 {
            let error = DownloadError(Errno(rawValue: number), while: action, "/srv/disk.iso")
            #expect(!error.advice.contains(" --"), "\(error)")
        }
        let error = DownloadError(.fileNameTooLong, while: .create, "/srv/disk.iso")
        #expect(error.text(for: .command).hasSuffix("; choose a shorter name with --output"))
    }

    @Test func `only the advice on the file of a download names the setting for existing files`() {
        let download = DownloadError(.fileExists, while: .rename, "/srv/disk.iso")
        #expect(download.advice.contains("ifExists"))
        let file = DownloadError(.fileExists, while: .giveName, "/srv/disk.iso")
        #expect(file.code == .fileExists)
        #expect(file.advice == "use another name, or replace the file")
    }

    @Test func `a hostile name does not reach the terminal`() {
        let error = DownloadError(.isDirectory, while: .create, "/srv/a\u{1B}[2Jb")
        #expect(error.description.unicodeScalars.allSatisfy { $0.value >= 0x20 })
    }
}
