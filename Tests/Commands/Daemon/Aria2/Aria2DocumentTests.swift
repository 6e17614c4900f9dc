import PawlDaemon
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct Aria2DocumentTests {
    @Test func `docs aria2 md describes each method and each option`() throws {
        let document = try Snapshot.text(of: "aria2.md", folder: "../../docs")
        let names = document.split(separator: "\n").filter { $0.hasPrefix("| `") }
            .flatMap { row in
                (row.split(separator: "|").first ?? "").split(separator: "`").map(String.init)
            }
        for method in Aria2Method.all { #expect(names.contains(method.name), "\(method.name)") }
        for option in Aria2Option.all { #expect(names.contains(option.name), "\(option.name)") }
    }
}
