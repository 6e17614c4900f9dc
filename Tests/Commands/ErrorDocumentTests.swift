import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ErrorDocumentTests {
    @Test func `docs errors md is the table of errors`() throws {
        try Snapshot.expect(document, matches: "errors.md", folder: "../../docs")
    }

    @Test func `the article on errors has a row for each code`() throws {
        let folder = "../../Sources/Pawl/Pawl.docc"
        let article = try Snapshot.text(of: "Errors.md", folder: folder)
        let lines = article.split(separator: "\n", omittingEmptySubsequences: false)
        let head = try #require(lines.firstIndex(of: "| --- | --- | --- | --- |"))
        let rest = lines[(head + 1)...].drop { $0.hasPrefix("|") }
        let rows = ErrorCode.table.sorted { $0.code.rawValue < $1.code.rawValue }.map { row in
            "| `\(row.code.rawValue)` | ``ErrorCode/\(symbol(row.code))`` | \(row.retry.rawValue) "
                + "| \(row.meaning.text(for: .library)) |"
        }
        let expected = lines[...head].map(String.init) + rows + rest.map(String.init)
        try Snapshot.expect(
            expected.joined(separator: "\n"),
            matches: "Errors.md",
            folder: folder
        )
    }

    /// `not-found` is `notFound` in Swift.
    private func symbol(_ code: ErrorCode) -> String {
        let words = code.rawValue.split(separator: "-")
        return words.enumerated().map {
            $0 == 0 ? String($1) : $1.prefix(1).uppercased() + $1.dropFirst()
        }
        .joined()
    }

    @Test func `no two rows share a code or an exit status`() {
        #expect(Set(ErrorCode.table.map(\.code)).count == ErrorCode.table.count)
        #expect(Set(ErrorCode.table.map(\.exitStatus)).count == ErrorCode.table.count)
    }

    private var document: String {
        var text = """
            # Errors

            `pawl` exits with one of these statuses. The library and JSON report the code. If aria2
            has a status with the same meaning, the number is the same. With several downloads, the
            status is that of the first URL, in the given order, whose download failed. The status
            is 7 if the run was interrupted.

            A test generates this page from `ErrorCode.table`: `PAWL_RECORD=1` writes it again.

            | exit | code | retried | meaning |
            | ---: | --- | --- | --- |
            | 0 | | | every download finished |

            """
        for row in ErrorCode.table.sorted(by: { $0.exitStatus < $1.exitStatus }) {
            text += "| \(row.exitStatus) | `\(row.code.rawValue)` | \(row.retry.rawValue) "
            text += "| \(row.meaning.text(for: .command)) |\n"
        }
        return text + """

            The column *retried* shows when retrying can help: *now*, immediately on a new
            connection; *later*, after some time; *elsewhere*, only from another source; *never*,
            only after something has changed. A second Ctrl-C (or SIGTERM, SIGHUP) ends the
            process by that signal, which shells show as 130, 143 or 129.

            """
    }
}
