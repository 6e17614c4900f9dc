import Glibc
package import SystemPackage

/// A file system of a test's own, on a loop device, whose power can be cut; gone with its owner.
///
/// A cut is the file system's own shutdown without its log: from that moment nothing reaches the
/// device, and what is in memory only is lost. The device itself keeps what it was given, so a cache
/// of a disk that is not flushed is not simulated. Only root can make one.
package final class LoopVolume: Sendable {
    package enum FileSystem: String, Sendable, CaseIterable {
        case ext4, xfs
    }

    package struct CannotFormat: Error {
        package var output: String
    }

    /// Where it is mounted; the same after a cut.
    package let path: String
    private let fileSystem: FileSystem
    private let device: LoopDevice
    private let room: String
    private let folder: ScratchFolder

    /// Makes, formats and mounts one.
    ///
    /// Throws `Errno`, or `CannotFormat`.
    package init(_ fileSystem: FileSystem) async throws {
        let folder = try ScratchFolder()
        let image = try folder.write("image", [])
        guard truncate(image, fileSystem.imageBytes) == 0 else { throw Errno(rawValue: errno) }
        let format = try await ProcessRunner.run(
            fileSystem.formatter ?? "mkfs",
            fileSystem.formatOptions + [image]
        )
        guard format.status.isSuccess else { throw CannotFormat(output: format.errors) }
        self.folder = folder
        self.fileSystem = fileSystem
        device = try LoopDevice(image: image)
        room = try folder.makeFolder("room")
        path = try folder.makeFolder("room/volume")
        try Self.share(room)
        try mountVolume()
    }

    deinit {
        // Whatever state a failed test has left it in.
        umount2(path, Int32(MNT_DETACH))
        umount2(room, Int32(MNT_DETACH))
    }

    /// The power goes: from now on every call fails, and nothing more reaches the device.
    ///
    /// Throws `Errno`.
    package func shutDown() throws(Errno) {
        let root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard root >= 0 else { throw Errno(rawValue: errno) }
        defer { close(root) }
        var flag = Self.withoutLog
        guard ioctl(root, Self.shutDownRequest, &flag) == 0 else { throw Errno(rawValue: errno) }
    }

    /// The machine starts again: all that the file system had in memory goes, what its log holds is
    /// replayed.
    ///
    /// Nothing on it may be open any more. Throws `Errno`.
    package func restart() throws(Errno) {
        // A child that another test has just spawned has our files open until its exec.
        try repeating { () throws(Errno) in
            guard umount2(path, 0) == 0 else { throw Errno(rawValue: errno) }
        }
        // A copy in another mount namespace keeps the old one in memory, and mounting would give
        // that one again.
        try repeating { () throws(Errno) in
            guard access("/sys/fs/\(fileSystem)/\(device.name)", F_OK) != 0 else {
                throw .resourceBusy
            }
        }
        try mountVolume()
    }

    /// Both at once, for what is at rest.
    ///
    /// Throws `Errno`.
    package func cutPower() throws(Errno) {
        try shutDown()
        try restart()
    }

    /// For `.enabled(if:)`: whether this process may attach, format and mount.
    package static let isAvailable: Bool = {
        guard getuid() == 0, LoopDevice.isAvailable,
            FileSystem.allCases.allSatisfy({ $0.formatter != nil }),
            // Whatever keeps the folder from being made keeps the tests from running.
            let folder = try? ScratchFolder(), mount(folder.path, folder.path, nil, bind, nil) == 0
        else { return false }
        return umount2(folder.path, Int32(MNT_DETACH)) == 0
    }()

    private static let shutDownRequest: UInt = 0x8004_587D  // _IOR('X', 125, __u32)
    private static let withoutLog: UInt32 = 2
    private static let bind = UInt(MS_BIND)

    /// Mounts below a shared one come and go in other mount namespaces too, where nobody would
    /// unmount them.
    private static func share(_ room: String) throws(Errno) {
        guard mount(room, room, nil, bind, nil) == 0,
            mount(nil, room, nil, UInt(MS_SHARED), nil) == 0
        else { throw Errno(rawValue: errno) }
    }

    private func mountVolume() throws(Errno) {
        guard mount(device.path, path, fileSystem.rawValue, 0, nil) == 0 else {
            throw Errno(rawValue: errno)
        }
    }

    /// Again while something is busy that soon is no more, 20 seconds at most.
    private func repeating(_ action: () throws(Errno) -> Void) throws(Errno) {
        for _ in 0..<20_000 {
            do throws(Errno) { return try action() } catch .resourceBusy { usleep(1000) }
        }
        try action()
    }
}

extension LoopVolume.FileSystem {
    /// Sparse; `mkfs.xfs` refuses less than 300 MB.
    fileprivate var imageBytes: Int {
        switch self {
        case .ext4: 128 << 20
        case .xfs: 320 << 20
        }
    }

    /// On ext4 the blocks of a large disk, as a small one gets smaller ones.
    fileprivate var formatOptions: [String] {
        switch self {
        case .ext4: ["-q", "-F", "-b", "4096"]
        case .xfs: ["-q"]
        }
    }

    /// A user's PATH leaves these folders out.
    fileprivate var formatter: String? {
        ["/usr/sbin", "/sbin", "/usr/local/sbin"].map { "\($0)/mkfs.\(rawValue)" }
            .first { access($0, X_OK) == 0 }
    }
}
