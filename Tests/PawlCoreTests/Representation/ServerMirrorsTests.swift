import PawlCore
import Testing

import struct FoundationEssentials.URL

/// `Link` fields, and the mirrors that they name.
@Suite(.timeLimit(.minutes(5)))
struct ServerMirrorsTests {
    private func mirrors(
        _ links: String...,
        at address: String = "https://a.example/d/f.iso",
        preferring countries: [String] = []
    ) throws -> [String] {
        var head = ResponseHead(url: try #require(URL(string: address)), status: 200)
        head.fields = links.map { HTTPField(name: "Link", value: $0) }
        return ServerMirrors.parse(head, preferring: countries).map(\.absoluteString)
    }

    @Test func `duplicates are sorted by priority and country`() throws {
        let links = [
            "<https://b.example/f>; rel=duplicate; pri=2; geo=de, <https://c.example/f>;rel=\"duplicate\";pri=1",
            "<../e>; rel=duplicate", "<https://d.example/x.meta4>; rel=describedby",
        ]
        let found = try mirrors(links[0], links[1], links[2])
        #expect(found == ["https://c.example/f", "https://b.example/f", "https://a.example/e"])
        #expect(try mirrors(links[0], preferring: ["de"]).first == "https://b.example/f")
    }

    @Test(arguments: [
        "<http://b.example/f>; rel=duplicate", "<file:///etc/passwd>; rel=duplicate",
        "<https://a.example/d/f.iso>; rel=duplicate", "<https://b.example/f", "https://b.example/f",
        "<https://b.example/f>; rel=next", "<https://[::1/f>; rel=duplicate", "<>; rel",
        "<https://b.example/f>; rel=\"", ";;;,,,", "<data:,x>; rel=duplicate",
    ])
    func `other links are not mirrors`(link: String) throws {
        #expect(try mirrors(link).isEmpty)
    }

    @Test func `of very many mirrors, only a few are used`() throws {
        let links = (0..<5000).map { "<https://m\($0).example/f>; rel=duplicate" }
        #expect(try mirrors(links.joined(separator: ",")).count == 16)
    }
}
