#if os(Linux)
internal import CPlatform
internal import Glibc
internal import PawlCore
internal import PawlStorage
internal import SystemPackage

/// The kernel's queue of events in one folder (`inotify(7)`).
struct InotifyQueue: Sendable {
    /// An event that concerns one name.
    struct NameEvent {
        var name: ExactText
        /// Whether the file has left this name: it was removed or renamed.
        var isDeparture: Bool
    }

    /// What was read from the queue.
    struct Reading {
        var events: [NameEvent] = []
        var didOverflow = false
        var end: FolderEnd?
        /// The renames of which only the old name has been received; the new one may be in another
        /// folder.
        var halfRenames: Set<UInt32> = []
    }

    private static let changes =
        UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM) | UInt32(IN_MOVED_TO)
        | UInt32(IN_CLOSE_WRITE) | UInt32(IN_ATTRIB)
    private static let ends = UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)
    private static let kinds = UInt32(IN_ONLYDIR) | UInt32(IN_EXCL_UNLINK)
    private static let headSize = 16
    /// The maximum number of reads, because a queue that fills as fast as it is read must not be
    /// read for ever.
    private static let mostReads = 16

    private let queue: OpenFile

    init(_ folder: FilePath) throws(DownloadError) {
        queue = try Self.open(folder)
        let descriptor = queue.descriptor
        try attempt(.watch, folder) { () throws(Errno) in
            try folder.systemCall {
                inotify_add_watch(descriptor, $0, Self.changes | Self.ends | Self.kinds)
            }
        }
    }

    var descriptor: Int32 { queue.descriptor }

    /// Reads the current events, or a large part of them, and adds them to a reading.
    func drain(_ buffer: PieceBuffer, into reading: inout Reading) throws(Errno) {
        for _ in 0..<Self.mostReads {
            let count = Glibc.read(queue.descriptor, buffer.bytes.baseAddress, buffer.bytes.count)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            guard count > 0 else { throw count < 0 ? .last : .ioError }
            read(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count]), &reading)
        }
    }

    private func read(_ bytes: UnsafeRawBufferPointer, _ reading: inout Reading) {
        var rest = bytes[...]
        while rest.count >= Self.headSize {
            let head = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.headSize))
            let mask = head.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
            let cookie = head.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
            let length = Int(head.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
            let name = rest.dropFirst(Self.headSize).prefix(length).prefix { $0 != 0 }
            rest = rest.dropFirst(Self.headSize + length)
            if mask & UInt32(IN_MOVED_FROM) != 0 { reading.halfRenames.insert(cookie) }
            if mask & UInt32(IN_MOVED_TO) != 0 { reading.halfRenames.remove(cookie) }
            note(mask, name, &reading)
        }
    }

    private func note(
        _ mask: UInt32,
        _ name: Slice<UnsafeRawBufferPointer>,
        _ reading: inout Reading
    ) {
        func has(_ kind: some BinaryInteger) -> Bool {
            mask & UInt32(truncatingIfNeeded: kind) != 0
        }
        if has(IN_Q_OVERFLOW) { reading.didOverflow = true }
        if has(IN_UNMOUNT) { reading.end = .unmounted }
        if has(IN_DELETE_SELF) { reading.end = reading.end ?? .removed }
        if has(IN_MOVE_SELF) { reading.end = reading.end ?? .moved }
        // The watch is gone, for whatever reason.
        if has(IN_IGNORED) { reading.end = reading.end ?? .removed }
        guard !name.isEmpty, !has(IN_ISDIR) else { return }
        if let name = String(validating: name, as: UTF8.self) {
            let isDeparture = has(IN_DELETE) || has(IN_MOVED_FROM)
            reading.events.append(NameEvent(name: ExactText(name), isDeparture: isDeparture))
        }
    }

    private static func open(_ folder: FilePath) throws(DownloadError) -> OpenFile {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard descriptor < 0 else { return OpenFile(owning: descriptor) }
        let error = Errno.last
        guard error == .tooManyOpenFiles else {
            throw DownloadError(error, while: .watch, folder)
        }
        throw DownloadError(
            .directoryNotUsable,
            "the user has reached the system's limit of watched folders or of open files",
            advice: "raise fs.inotify.max_user_instances with sysctl, or ulimit -n",
            context: DiskAction.watch.text(folder),
            retryClass: .later
        )
    }
}
#endif
