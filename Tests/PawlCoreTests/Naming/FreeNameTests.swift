import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FreeNameTests {
    @Test func `the name itself comes first, then its numbers`() {
        var tried: [String] = []
        let free = FreeName.first(of: "disk.tar.gz") { name in
            tried.append(name)
            return tried.count == 4
        }
        #expect(free == "disk.3.tar.gz")
        #expect(tried == ["disk.tar.gz", "disk.1.tar.gz", "disk.2.tar.gz", "disk.3.tar.gz"])
    }

    @Test func `the search ends with its first result, and begins where it is told`() {
        #expect(FreeName.search(from: 5) { $0 == 7 ? "seven" : nil } == "seven")
    }

    @Test func `no name is found if all are taken`() {
        var count = 0
        #expect(
            FreeName.first(of: "a") { _ in
                count += 1
                return false
            } == nil
        )
        #expect(count == FreeName.limit)
    }

    @Test func `an error ends the search`() {
        #expect(throws: DownloadError.self) {
            try FreeName.search { (number) throws(DownloadError) -> Int? in
                guard number < 3 else { throw DownloadError(.diskFull, "no room") }
                return nil
            }
        }
    }
}
