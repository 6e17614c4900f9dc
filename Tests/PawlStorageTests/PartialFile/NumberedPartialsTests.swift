import PawlStorage
import SystemPackage
import Testing

@Suite(.timeLimit(.minutes(5)))
struct NumberedPartialsTests {
    private func numbers(_ folder: StorageFolder, of name: String) throws -> [Int] {
        NumberedPartials().numbers(of: try #require(PartialNames(folder.path.appending(name))))
    }

    @Test func `the numbers of each name are found`() throws {
        let folder = try StorageFolder()
        for name in [
            "disk.27.iso.part.pawl", "disk.4.iso.part.pawl", "disk.iso.part.pawl",
            "disk.5.iso.part", "disk.6.iso", "other.8.iso.part.pawl", "disk.07.iso.part.pawl",
            "a.9.tar.gz.part.pawl", "plain.3.part.pawl",
        ] {
            try folder.put([], name)
        }
        #expect(try numbers(folder, of: "disk.iso") == [4, 27])
        #expect(try numbers(folder, of: "other.iso") == [8])
        #expect(try numbers(folder, of: "a.tar.gz") == [9])
        #expect(try numbers(folder, of: "plain") == [3])
        #expect(try numbers(folder, of: "none") == [])
        #expect(try numbers(folder, of: "missing/disk.iso") == [])
    }

    @Test(arguments: [230, 231, 232, 234, 236, 240, 245])
    func `the numbers of a long name are found, although its partial files are named shorter`(
        length: Int
    ) throws {
        let folder = try StorageFolder()
        let name = String(repeating: "n", count: length - 4) + ".iso"
        let final = folder.path.appending(name)
        for number in [0, 4, 17] {
            let checkpoint = DownloadPaths.numbered(final, number).checkpoint
            try folder.put([], checkpoint.lastComponent?.string ?? "")
        }
        #expect(try numbers(folder, of: name) == [4, 17])
        let names = try #require(PartialNames(final))
        #expect(!names.isFree(4) && !names.isFree(17) && names.isFree(5))
    }

    @Test func `a partial file that was just left is found before the next listing`() throws {
        let folder = try StorageFolder()
        let partials = NumberedPartials()
        try folder.put([], "disk.4.iso.part.pawl")
        let names = try #require(PartialNames(folder.path.appending("disk.iso")))
        #expect(partials.numbers(of: names) == [4])
        partials.note(12, of: names)
        partials.note(4, of: names)
        #expect(partials.numbers(of: names) == [4, 12])
    }

    @Test func `a folder is not listed for each download`() throws {
        let folder = try StorageFolder()
        let partials = NumberedPartials()
        try folder.put([], "disk.4.iso.part.pawl")
        let names = try #require(PartialNames(folder.path.appending("disk.iso")))
        let start = ContinuousClock.now
        #expect(partials.numbers(of: names) == [4])
        try folder.put([], "disk.5.iso.part.pawl")
        let found = partials.numbers(of: names)
        // On a very slow machine, the second listing may be due.
        #expect(found == [4] || start.duration(to: .now) >= .seconds(1))
    }
}
