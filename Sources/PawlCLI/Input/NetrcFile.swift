internal import Glibc

/// The file in which users keep names and passwords of hosts.
enum NetrcFile {
    /// The path of `.netrc` in the home folder; `nil` if it cannot be read.
    static var usual: String? {
        guard let home = getenv("HOME") else { return nil }
        let path = String(cString: home) + "/.netrc"
        return access(path, R_OK) == 0 ? path : nil
    }
}
