import Glibc
import PawlTesting
import SystemPackage

extension ScratchFolder {
    func file(_ name: String) -> FilePath { FilePath(path(name)) }

    func status(_ name: String) -> stat {
        var status = stat()
        lstat(path(name), &status)
        return status
    }
}

extension FilePath {
    func remove() throws(Errno) {
        guard unlink(string) == 0 else { throw Errno(rawValue: errno) }
    }

    func makeLink(to target: String) throws(Errno) {
        guard symlink(target, string) == 0 else { throw Errno(rawValue: errno) }
    }
}
