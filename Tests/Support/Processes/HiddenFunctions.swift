import Glibc

/// Functions of glibc that Swift's module does not export, because they require _GNU_SOURCE.
package enum HiddenFunctions {
    package typealias MakePipe = @convention(c) (UnsafeMutablePointer<Int32>, Int32) -> Int32
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

    /// A function that creates a pipe, with flags for both ends.
    package static let pipe = dlsym(nil, "pipe2").map { unsafeBitCast($0, to: MakePipe.self) }

    /// POSIX_SPAWN_SETSID: the child leads its own session and process group.
    static let spawnNewSession: Int16 = 0x80
}
