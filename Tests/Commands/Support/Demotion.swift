import Glibc
import PawlTesting

/// Runs the program without root's rights, to which permissions mean nothing.
enum Demotion {
    /// Whether the program can be run with fewer rights: as root, with `setpriv`, if all users can
    /// read the build.
    static let isAvailable: Bool = getuid() != 0 || access(setpriv, X_OK) == 0 && isReadable

    static func run(_ arguments: [String], in workshop: Workshop) async throws -> FinishedProcess {
        guard getuid() == 0 else { return try await workshop.run(arguments) }
        return try await ProcessRunner.run(
            setpriv,
            ["--reuid=65534", "--regid=65534", "--clear-groups", Workshop.program] + arguments,
            ProcessSettings(folder: workshop.folder.path)
        )
    }

    private static let setpriv = "/usr/bin/setpriv"

    private static var isReadable: Bool {
        var path = Workshop.program
        while let slash = path.lastIndex(of: "/"), !path.isEmpty {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & 0o005 == 0o005 else { return false }
            path = String(path[..<slash])
        }
        return true
    }
}
