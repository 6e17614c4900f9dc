import Glibc

/// Functions of glibc that Swift's module does not show, as they are behind _GNU_SOURCE.
enum HiddenFunctions {
    typealias AddNumber =
        @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
    typealias AddPath =
        @convention(c) (
            UnsafeMutablePointer<posix_spawn_file_actions_t>, UnsafePointer<CChar>
        ) -> Int32

    /// Closes every descriptor from that one on in the child.
    static let addCloseFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np")
        .map { unsafeBitCast($0, to: AddNumber.self) }
    /// Changes the child's folder.
    static let addChangeFolder = dlsym(nil, "posix_spawn_file_actions_addchdir_np")
        .map { unsafeBitCast($0, to: AddPath.self) }

    /// POSIX_SPAWN_SETSID: the child leads a session and a process group of its own.
    static let spawnNewSession: Int16 = 0x80
}
