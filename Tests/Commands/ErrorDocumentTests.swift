import PawlCore
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ErrorDocumentTests {
    @Test func `docs errors md is the table of errors`() throws {
        try Snapshot.expect(document, matches: "errors.md", folder: "../../docs")
    }

    @Test func `no two rows share a code or an exit status`() {
        #expect(Set(ErrorCode.table.map(\.code)).count == ErrorCode.table.count)
        #expect(Set(ErrorCode.table.map(\.exitStatus)).count == ErrorCode.table.count)
    }

    private var document: String {
        var text = """
            # Errors

            What `pawl` exits with, and the code that the library and JSON give. A status is aria2's \
            where the meaning is the same. With several downloads the status is that of the first \
            one, in the order given, that did not end well; 7 where the run was interrupted.

            This page is made from `ErrorCode.table` by a test: `PAWL_RECORD=1` writes it anew.

            | exit | code | retried | meaning |
            | ---: | --- | --- | --- |
            | 0 | | | every download ended well |

            """
        for row in ErrorCode.table.sorted(by: { $0.exitStatus < $1.exitStatus }) {
            text += "| \(row.exitStatus) | `\(row.code.rawValue)` | \(row.retry.rawValue) "
            text += "| \(row.meaning) |\n"
        }
        return text + """

            *Retried* says when trying again makes sense: *now*, on a new connection; *later*, after \
            some time; *elsewhere*, only from another source; *never*, not before something was \
            changed. A second Ctrl-C (or SIGTERM, SIGHUP) ends the process by that signal, which \
            shells show as 130, 143 or 129.

            """
    }
}
