import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

/// A program for hooks that writes what it is told into a file.
struct HookNotes: Sendable {
    let folder: ScratchFolder

    /// What the program was told.
    struct Note: Sendable {
        var facts: HookFacts
        /// The environment variables that begin with `PAWL_`, and the password of a database.
        var variables: [String: String]
    }

    init(in folder: ScratchFolder) throws {
        self.folder = folder
        let script = """
            #!/bin/sh
            { cat; env | grep -e '^PAWL_' -e '^PGPASSWORD='; } > "$1.new"
            echo "noted $2"
            mv "$1.new" "$1"
            """
        try folder.write("note", script + "\n")
        try folder.setPermissions("note", 0o700)
    }

    /// The command that writes the note `name`, and prints `words`.
    func command(_ name: String, _ words: String = "") -> String {
        "\(folder.path("note")) '\(folder.path(name))' '\(words)'"
    }

    /// Waits for a note.
    func read(_ name: String) async throws -> Note {
        try await FolderWatch.wait(for: name, in: folder)
        let lines = try folder.readText(name).split(separator: "\n")
        let json = try #require(lines.first)
        let pairs = lines.dropFirst().map { line in
            let end = line.firstIndex(of: "=") ?? line.endIndex
            return (String(line[..<end]), String(line[end...].dropFirst()))
        }
        return Note(
            facts: try WireJSON.decode(HookFacts.self, from: json.utf8),
            variables: Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        )
    }
}
