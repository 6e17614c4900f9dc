import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SecurityDocumentTests {
    @Test func `each promise of docs security md has tests of the names that it gives`() throws {
        var document = try Snapshot.text(of: "security.md", folder: "../../docs")
        // The rows that are generated from the rules have the tests of the rules.
        for name in ["demands", "routes"] {
            let start = try #require(document.firstRange(of: "<!-- table: \(name) -->")).lowerBound
            let end = try #require(document.firstRange(of: "<!-- end: \(name) -->")).upperBound
            document.removeSubrange(start..<end)
        }
        let rows = document.split(separator: "\n").filter { $0.hasPrefix("| ") }
            .map { $0.split(separator: "|").map(String.init) }
            .filter { $0.count > 1 && $0[0] != " promise " && !$0[0].hasPrefix(" ---") }
        #expect(rows.count > 20)
        let sources = try testSources()
        for row in rows {
            let names = row[row.count - 1].split(separator: "`", omittingEmptySubsequences: false)
                .enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
            #expect(!names.isEmpty, "\(row[0])")
            for name in names { #expect(sources.contains("func `\(name)`"), "\(name)") }
        }
    }

    private func testSources() throws -> String {
        let tests = "\(#filePath)".split(separator: "/Tests/").first.map { "\($0)/Tests" } ?? ""
        return try FolderTree.entries(below: tests).filter { $0.hasSuffix("Tests.swift") }
            .map { try String(contentsOfFile: "\(tests)/\($0)", encoding: .utf8) }
            .joined()
    }
}
