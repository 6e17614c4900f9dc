import Glibc

/// The location of this package's programs, derived from the running test program.
package enum BuiltProduct {
    /// The folder that contains the test program.
    package static let folder: String = {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let bytes = buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
        let path = String(decoding: bytes, as: UTF8.self)
        return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }()

    /// The folder in the environment variable `PAWL_PROGRAMS`, in which `scripts/lib/tests.sh` puts
    /// the programs to test.
    private static let chosenFolder = getenv("PAWL_PROGRAMS").map { String(cString: $0) }

    /// Returns the path of a program, such as `pawl`.
    ///
    /// It is the one in the folder that `PAWL_PROGRAMS` names, or else the one next to the test
    /// program.
    package static func path(_ name: String) -> String {
        if let chosen = chosenFolder.map({ "\($0)/\(name)" }), access(chosen, X_OK) == 0 {
            return chosen
        }
        return "\(folder)/\(name)"
    }
}
