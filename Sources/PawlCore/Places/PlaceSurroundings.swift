/// The system's information about standard folders, read once and then used as plain values.
package struct PlaceSurroundings: Hashable, Sendable {
    /// The relevant environment variables.
    package var variables: [String: String]
    /// The home folder in the system's list of users, used if `HOME` is not set.
    package var homeOfUser: String?
    /// The numeric user ID.
    package var user: UInt32
    /// The path of the running program; `nil` if the system does not report it.
    package var program: String?
    /// The text of `user-dirs.dirs`; empty if there is none.
    package var userDirectories = ""

    package init(variables: [String: String], homeOfUser: String?, user: UInt32) {
        self.variables = variables
        self.homeOfUser = homeOfUser
        self.user = user
    }

    /// The folder of the running program, without a trailing slash.
    var programFolder: String? {
        guard let program, let absolute = Self.absolute(program) else { return nil }
        return Self.absolute(absolute.pathFolder)
    }

    /// The user's home folder.
    package var home: String? { path(in: "HOME") ?? homeOfUser.flatMap(Self.absolute) }

    /// Returns a variable's path.
    ///
    /// An empty or relative path counts as not set (XDG Base Directory Specification 0.8, "All
    /// paths set in these environment variables must be absolute").
    package func path(in variable: String) -> String? {
        variables[variable].flatMap(Self.absolute)
    }

    /// Returns an absolute path without trailing slashes; `nil` if the text is not one.
    static func absolute(_ text: String) -> String? {
        guard text.isAbsolutePath, !text.utf8.contains(0) else { return nil }
        var path = Substring(text)
        while path.utf8.count > 1, path.isFolderPath { path = Substring(path.utf8.dropLast()) }
        return String(path)
    }
}
