import Glibc
package import SystemPackage

/// A test's own file system on a loop device, whose power can be cut; removed when the object is
/// released.
///
/// A power cut is the file system's own shutdown without its log: from then on nothing reaches the
/// device, and data that is only in memory is lost. The device keeps everything that it received,
/// so the loss of an unflushed disk cache is not simulated. Only root can create a volume.
package final class LoopVolume: Sendable {
    package enum FileSystem: String, Sendable, CaseIterable {
        case ext4, xfs
    }

    package struct CannotFormat: Error {
        package var output: String
    }

    /// The mount point, which stays the same after a power cut.
    package let path: String
    private let fileSystem: FileSystem
    private let device: LoopDevice
    private let room: String
    private let folder: ScratchFolder

    /// Creates, formats and mounts a volume.
    ///
    /// Throws `Errno` or `CannotFormat`.
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
        // A failed test may have left the volume in any state.
        umount2(path, Int32(MNT_DETACH))
        umount2(room, Int32(MNT_DETACH))
    }

    /// Cuts the power: from now on every call fails, and nothing more reaches the device.
    ///
    /// Throws `Errno`.
    package func shutDown() throws(Errno) {
        let root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard root >= 0 else { throw Errno(rawValue: errno) }
        defer { close(root) }
        var flag = Self.withoutLog
        guard ioctl(root, Self.shutDownRequest, &flag) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Restarts the machine: discards what the file system had in memory and replays its log.
    ///
    /// No file on the volume may be open. Throws `Errno`.
    package func restart() throws(Errno) {
        // A child that another test has just spawned has our files open until it calls exec, and a
        // copy of the mount in another namespace may last longer. Both keep the old file system in
        // memory, and a new mount would return that one.
        let unmount = try UnmountWatch(path)
        guard umount2(path, Int32(MNT_DETACH)) == 0 else { throw Errno(rawValue: errno) }
        try unmount.wait()
        try mountVolume()
    }

    /// Cuts the power and restarts the machine, while no file is open.
    ///
    /// Throws `Errno`.
    package func cutPower() throws(Errno) {
        try shutDown()
        try restart()
    }

    /// Whether this process may attach, format and mount a volume, for `.enabled(if:)`.
    package static let isAvailable: Bool = {
        guard getuid() == 0, LoopDevice.isAvailable,
            FileSystem.allCases.allSatisfy({ $0.formatter != nil }),
            // Any error that prevents the folder also prevents the tests.
            let folder = try? ScratchFolder(), mount(folder.path, folder.path, nil, bind, nil) == 0
        else { return false }
        return umount2(folder.path, Int32(MNT_DETACH)) == 0
    }()

    private static let shutDownRequest: UInt = 0x8004_587D  // _IOR('X', 125, __u32)
    private static let withoutLog: UInt32 = 2
    private static let bind = UInt(MS_BIND)

    /// Makes the mount point shared, so that volumes are unmounted in other mount namespaces too.
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
}

extension LoopVolume.FileSystem {
    /// The size of the sparse image; `mkfs.xfs` refuses less than 300 MB.
    fileprivate var imageBytes: Int {
        switch self {
        case .ext4: 128 << 20
        case .xfs: 320 << 20
        }
    }

    /// The formatter's options, which give ext4 the block size of a large disk.
    fileprivate var formatOptions: [String] {
        switch self {
        case .ext4: ["-q", "-F", "-b", "4096"]
        case .xfs: ["-q"]
        }
    }

    /// The path of the formatter, whose folder is usually not in a user's PATH.
    fileprivate var formatter: String? {
        ["/usr/sbin", "/sbin", "/usr/local/sbin"].map { "\($0)/mkfs.\(rawValue)" }
            .first { access($0, X_OK) == 0 }
    }
}
