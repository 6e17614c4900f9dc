import Glibc

/// Functions of glibc that Swift's module does not export, because they require _GNU_SOURCE.
enum HiddenFunctions {
    typealias AddNumber =
        @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
    typealias AddPath =
        @convention(c) (
            UnsafeMutablePointer<posix_spawn_file_actions_t>, UnsafePointer<CChar>
        ) -> Int32

    /// A function that closes all descriptors from a given one on in the child.
    static let addCloseFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np")
        .map { unsafeBitCast($0, to: AddNumber.self) }
    /// A function that sets the child's working folder.
    static let addChangeFolder = dlsym(nil, "posix_spawn_file_actions_addchdir_np")
        .map { unsafeBitCast($0, to: AddPath.self) }

    /// POSIX_SPAWN_SETSID: the child leads its own session and process group.
    static let spawnNewSession: Int16 = 0x80
}
